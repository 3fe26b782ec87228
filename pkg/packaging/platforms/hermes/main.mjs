// The bundle of a React Native application: halfopen/js, because Hermes has no WebAssembly.
import * as halfopen from 'halfopen/js';
import * as testing from 'halfopen/js/testing';
import { consume } from './consumer.mjs';

consume({ halfopen, testing }).then(
  (seen) => print(seen),
  (error) => print(`error: ${error?.message}\n${error?.stack}`),
);
