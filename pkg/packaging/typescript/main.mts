// The declarations as an application's compiler reads them, its own checks on. run.mjs compiles this file as CommonJS too.
import { AgentError, type AgentErrorCode, createPolicy } from 'halfopen';
import { fleet } from 'halfopen/fleet';
import { guard } from 'halfopen/guard';
import { simulate } from 'halfopen/lab';
import { VirtualClock } from 'halfopen/testing';

const policy = createPolicy({ name: 'typed', clock: new VirtualClock(), retry: { maxRetries: 1 } });
export const answer: Promise<number> = policy.execute(async () => 42);
export const code = (error: unknown): AgentErrorCode => AgentError.from(error).code;
export const others = [fleet, guard, simulate];
// @ts-expect-error an option that does not exist
createPolicy({ retries: 1 });
