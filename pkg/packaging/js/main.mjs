import * as halfopen from 'halfopen/js';
import * as testing from 'halfopen/js/testing';
import { consume } from './consumer.mjs';

// The page that this runs on may not compile WebAssembly; else this would prove nothing.
let forbidden = false;
try {
  new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
} catch {
  forbidden = true;
}
(forbidden ? consume({ halfopen, testing }) : Promise.reject(new Error('WebAssembly is allowed here'))).then(
  (seen) => document.body.setAttribute('data-result', seen),
  (error) => document.body.setAttribute('data-error', String(error?.stack ?? error)),
);
