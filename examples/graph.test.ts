// The graph of graph.ts: each severity takes its way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from 'halfopen';
import { runGraph, SCENES } from './graph.js';

const run = (scene: string) => {
  const { task, failures } = SCENES[scene] ?? { task: '' };
  return runGraph(task, failures, 0.001);
};

test('nothing fails: classifier, orchestrator, capabilities', async () => {
  const { answer, trail } = await runGraph('the time');
  assert.deepEqual(trail, ['classifier', 'orchestrator', 'search', 'summarise']);
  assert.equal(answer, 'summarise done');
});

test('retriable: the same capability again, until it succeeds', async () => {
  const { answer, trail } = await run('retriable');
  assert.deepEqual(trail.slice(2), [
    'search failed',
    'retry',
    'search failed',
    'retry',
    'search',
    'summarise',
  ]);
  assert.equal(answer, 'summarise done');
});

test('retriable, exhausted: after three retries to the error step', async () => {
  const { answer, trail } = await run('exhausted');
  assert.deepEqual(trail.slice(-2), ['search failed', 'error']);
  assert.equal(trail.filter((step) => step === 'retry').length, 3);
  assert.match(answer, /PROVIDER_OVERLOADED|SERVER_ERROR/);
  assert.match(answer, /Retry attempts: 3/);
});

test('replanning: the orchestrator makes another plan', async () => {
  const { answer, trail } = await run('replanning');
  assert.deepEqual(trail, [
    'classifier',
    'orchestrator',
    'search',
    'summarise failed',
    'orchestrator',
    'orchestrator',
    'search',
    'shorten',
    'summarise',
  ]);
  assert.equal(answer, 'summarise done');
});

test('reclassification: the classifier chooses another capability', async () => {
  const { answer, trail } = await run('reclassification');
  assert.deepEqual(trail, [
    'classifier',
    'orchestrator',
    'search failed',
    'classifier',
    'classifier',
    'orchestrator',
    'notes',
    'summarise',
  ]);
  assert.equal(answer, 'summarise done');
});

test('critical: the error step reports and explains', async () => {
  const { answer, trail } = await run('critical');
  assert.deepEqual(trail, ['classifier', 'orchestrator', 'search failed', 'error']);
  assert.match(answer, /\*\*Error type:\*\* LLM_FAILED \(AUTHENTICATION_ERROR, critical\)/);
  assert.match(answer, /\*\*Task:\*\* the price of tea/);
  assert.match(answer, /\*\*Analysis:\*\* The key for the model was not accepted\./);
});

test('fatal: the run ends with the error', async () => {
  await assert.rejects(
    run('fatal'),
    (error) => AgentError.is(error) && error.code === 'INITIALIZATION_ERROR',
  );
});
