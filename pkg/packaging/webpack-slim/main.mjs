// English and one language more: webpack has to keep an import that has no names.
import * as halfopen from 'halfopen/slim';
import 'halfopen/locale/de';
import * as testing from 'halfopen/testing';
import { consume } from './consumer.mjs';

consume({ halfopen, testing }).then(
  (seen) => document.body.setAttribute('data-result', seen),
  (error) => document.body.setAttribute('data-error', String(error?.stack ?? error)),
);
