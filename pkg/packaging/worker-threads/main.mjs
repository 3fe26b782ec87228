// The package in a thread of its own and in the one that started it: each has its own core.
import { Worker } from 'node:worker_threads';
import * as halfopen from 'halfopen';
import * as testing from 'halfopen/testing';
import { consume } from './consumer.mjs';

const worker = new Worker(new URL('./worker.mjs', import.meta.url));
const seen = new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
const here = await consume({ halfopen, testing });
console.log(`${here}; in the thread ${await seen}`);
