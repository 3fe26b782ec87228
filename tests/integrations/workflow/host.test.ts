// A workflow whose step throws what the recipe of docs/integrations/workflow.md makes, compiled by Workflow's own compiler and run in its local world.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildWorkflowTests, setupWorkflowTests, teardownWorkflowTests } from '@workflow/vitest';
import { start } from 'workflow/api';
import { times } from '../../../examples/faulty-provider/faults.js';
import { scratch } from '../../../scripts/scratch.mjs';
import { provider, requests } from '../provider.js';
import { recipeText } from '../recipe.js';

const folder = fileURLToPath(new URL('./', import.meta.url));
const output = scratch(folder);
const options = { cwd: `${folder}flows`, dataDir: `${output}/data`, outDir: `${output}/bundles` };

const recipe = `${folder}flows/recipe.ts`;
const runStep = `${folder}flows/run-step.ts`;

before(async () => {
  writeFileSync(recipe, recipeText('workflow', 'import { FatalError, RetryableError }'));
  writeFileSync(runStep, recipeText('workflow', 'import { createRun, type RunSnapshot'));
  await buildWorkflowTests(options);
  await setupWorkflowTests(options);
});
after(async () => {
  await teardownWorkflowTests();
  rmSync(recipe, { force: true });
  rmSync(runStep, { force: true });
});

/** Runs the workflow, and resolves with its result. */
async function run(): Promise<unknown> {
  const { returnValue } = await start({ workflowId: 'workflow//./summary//summary' }, [provider.openaiUrl]);
  return returnValue;
}

test('a step that fails is run again by the workflow, as late as the provider asks', async () => {
  provider.next('openai', { kind: 'rate-limited', retryAfterSeconds: 2 }, { kind: 'overloaded' });
  assert.equal(await run(), 'embedded with 200');
  assert.equal(requests(), 3);
  const [first = 0, second = 0] = provider.received.slice(-3).map(({ at }) => at);
  assert.ok(second - first >= 2000, `after ${second - first} ms`);
});

test('what failed for good is one request, and fails the workflow', async () => {
  provider.next('openai', { kind: 'unauthorized' });
  await assert.rejects(run(), { name: 'WorkflowRunFailedError', message: /401/ });
  assert.equal(requests(), 1);
});

test("the step's maxRetries bounds what may succeed later", async () => {
  provider.next('openai', ...times(9, { kind: 'overloaded' }));
  await assert.rejects(run(), { name: 'WorkflowRunFailedError' });
  assert.equal(requests(), 4);
});

test('the snapshot of a run goes from step to step: it is steered, refused, concludes, and stops with a sentence', async () => {
  const { returnValue } = await start({ workflowId: 'workflow//./research//research' }, []);
  const turns = (await returnValue) as [say: string | undefined, output: string, isLast: boolean][];
  assert.deepEqual(
    turns.slice(0, -1).map(([say, output, isLast]) => [say?.slice(0, 8), output.slice(0, 8), isLast]),
    [
      [undefined, 'one page', false],
      [undefined, 'one page', false],
      [undefined, 'one page', false],
      ['You have', 'one page', false],
      [undefined, 'This cal', false],
      ['You have', 'This cal', true],
    ],
  );
  assert.match(String(turns.at(-1)), /repeated itself/);
});
