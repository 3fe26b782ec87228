// Shared by the agents with Halfopen: tools under policies of their own, a run against loops, and a sentence for the user.
import { AgentError, createPolicies, truncate } from 'halfopen';
import { createRun } from 'halfopen/run';
import { callTool, TASK, TOOLS } from './tools.mjs';

export const run = createRun({ task: TASK, limits: { steps: 12 } });
const policies = createPolicies({ retry: { maxRetries: 2 }, timeout: { attemptMs: 20_000 } });

/**
 * The tools, by name: each throws an `AgentError` that the framework makes text for the model of. The key makes a repeated call of the
 * model the same request, so that it has one effect.
 */
export const tools = Object.fromEntries(
  Object.keys(TOOLS).map((name) => [
    name,
    async (args) => {
      const text = await policies
        .get(name)
        .execute(({ signal, idempotencyKey: key }) => callTool(name, args, { signal, key }), {
          idempotencyKey: `${name} ${JSON.stringify(args)}`,
        });
      return truncate(text, 20_000);
    },
  ]),
);

/** The user reads the answer, or a sentence that is made for users. */
export async function main(agent) {
  try {
    const answer = await agent();
    const end = run.finish();
    console.log(end.kind === 'stopped' ? end.error.userMessage() : answer);
  } catch (error) {
    run.finish(error);
    console.log(AgentError.from(error).userMessage());
  }
}
