import { show } from './late.mjs';

show();
