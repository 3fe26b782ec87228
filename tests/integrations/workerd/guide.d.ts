// The agent of docs/integrations/cloudflare-agents.md, which start.ts makes a module of.
declare module 'docs:guide' {
  import { Agent } from 'agents';

  export class Guide extends Agent<Record<string, unknown>> {
    ask(question: string): Promise<string>;
  }
}
