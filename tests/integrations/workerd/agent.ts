// An agent of Cloudflare's Agents SDK, for workerd: its calls fail as the request says, and it answers how often it called.
import { Agent, getAgentByName } from 'agents';
import { AgentError, createPolicy } from 'halfopen';
import { retryable } from 'halfopen/cloudflare-agents';

interface Env {
  Guide: Parameters<typeof getAgentByName<Record<string, unknown>, Guide>>[0];
}

const policy = createPolicy({ name: 'provider', retry: false });

export class Guide extends Agent<Record<string, unknown>> {
  /** The statuses that the first calls fail with. */
  async ask(statuses: number[]): Promise<{ answer: string; calls: number }> {
    let calls = 0;
    const call = async () => {
      const status = statuses[calls++];
      if (status !== undefined) throw Object.assign(new Error('no answer'), { status });
      return 'Paris';
    };
    const options = { maxAttempts: 5, baseDelayMs: 1, maxDelayMs: 5, shouldRetry: retryable() };
    const answer = await this.retry(() => policy.execute(call), options).catch(
      (error: unknown) => AgentError.from(error).code,
    );
    return { answer, calls };
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const agent = await getAgentByName(env.Guide, 'one');
    return Response.json(await agent.ask(await request.json()));
  },
};
