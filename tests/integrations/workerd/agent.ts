// An agent of Cloudflare's Agents SDK, for workerd: that of docs/integrations/cloudflare-agents.md. It answers a request with
// what the provider at the address in its body answers, or with the code of the error.

import { Guide as DocumentedGuide } from 'docs:guide';
import { getAgentByName } from 'agents';
import { AgentError } from 'halfopen';

interface Env {
  Guide: Parameters<typeof getAgentByName<Record<string, unknown>, Guide>>[0];
}

export class Guide extends DocumentedGuide {
  async outcome(provider: string): Promise<string> {
    return this.ask(provider).catch((error: unknown) => AgentError.from(error).code);
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const agent = await getAgentByName(env.Guide, 'one');
    return new Response(await agent.outcome(await request.text()));
  },
};
