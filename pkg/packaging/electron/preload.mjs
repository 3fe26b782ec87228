// A sandboxed preload script is one CommonJS file without `require`: a bundle.
import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from './consumer.mjs';

export const seen = consume({ halfopen, testing });
