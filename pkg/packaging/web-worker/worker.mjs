import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from './consumer.mjs';

consume({ halfopen, testing }).then(
  (seen) => postMessage({ seen }),
  (error) => postMessage({ error: String(error?.stack ?? error) }),
);
