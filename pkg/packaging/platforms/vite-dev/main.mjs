import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from './consumer.mjs';

consume({ halfopen, testing }).then(
  (seen) => document.body.setAttribute('data-result', seen),
  (error) => document.body.setAttribute('data-error', String(error?.stack ?? error)),
);
