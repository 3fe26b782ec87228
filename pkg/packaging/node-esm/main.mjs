import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume, expectNames } from './consumer.mjs';

for (const module of [halfopen, testing]) expectNames(module);
console.log(await consume({ halfopen, testing }));
