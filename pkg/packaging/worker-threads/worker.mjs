import { parentPort } from 'node:worker_threads';
import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from './consumer.mjs';

parentPort.postMessage(await consume({ halfopen, testing }));
