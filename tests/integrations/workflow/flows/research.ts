// A workflow with a run of an agent, whose snapshot goes from step to step. Its model calls the same tool with the same result.
import type { RunSnapshot } from 'halfopen/run';
import { runStep } from './run-step.js';

async function turn(saved: RunSnapshot | undefined) {
  'use step';
  return runStep(saved, async (run, say, isLast) => {
    const search = run.tool('search', async (_: object) => 'one page');
    const { output } = await search({ query: 'invoice' });
    return [say, output, isLast];
  });
}

export async function research(): Promise<unknown[]> {
  'use workflow';
  const turns: unknown[] = [];
  for (let run: RunSnapshot | undefined; ; ) {
    const { run: next, result, stopped } = await turn(run);
    if (stopped !== undefined) return [...turns, stopped];
    turns.push(result);
    run = next;
  }
}
