// The second recipe of docs/integrations/workflow.md, which host.test.ts writes beside this.
import type { Run, RunSnapshot } from 'halfopen/run';

export declare function runStep<T>(
  saved: RunSnapshot | undefined,
  act: (run: Run, say: string | undefined, isLast: boolean) => Promise<T>,
): Promise<{ run: RunSnapshot; result?: T; stopped?: string }>;
