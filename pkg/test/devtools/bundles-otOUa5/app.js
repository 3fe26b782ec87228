import { defineDevtoolsElement, mountDevtools } from 'halfopen/devtools/embed';
mountDevtools();
defineDevtoolsElement();
