/** `halfopen/rehearse`: a provider that validates and fails as the real ones do, and the score of an agent that met it. */
import { count, kind, port, readOptions, type Shape } from '../options.js';
import { TASKS } from './model.js';
import { SCENARIOS, type Scenario } from './scenarios.js';
import { type Output, type Score, scoreOf } from './score.js';
import { type RecordedRequest, startServer } from './server.js';
import type { Effect } from './tools.js';

export type { Output, Score } from './score.js';
export type { RecordedRequest } from './server.js';
export type { Effect } from './tools.js';

/** The scenarios that there are, in the order in which `npx halfopen rehearse` runs them. */
export const scenarios: readonly { readonly name: string; readonly group: string; readonly about: string }[] =
  SCENARIOS.map(({ name, group, about }) => ({ name, group, about }));

const SHAPE: Shape = {
  scenario: kind('a name of `scenarios`', (value) => scenarios.some(({ name }) => name === value)),
  seed: count,
  port,
  speed: kind(
    'a number from 0.1 to 1000',
    (value) => typeof value === 'number' && value >= 0.1 && value <= 1000,
  ),
};

/** Options of {@link startRehearsal}. */
export interface RehearsalOptions {
  /** A name of {@link scenarios}. Default: `'refund'`, on which nothing is wrong. */
  scenario?: string;
  /** Ids and signatures depend on it, and nothing else does. Default: 1. */
  seed?: number;
  /** Default: 0, a free port. */
  port?: number;
  /** Waits of the provider are divided by it, from 0.1 to 1000. Default: 10. */
  speed?: number;
}

/** A provider that runs. */
export interface Rehearsal {
  /** What the agent needs to find it: base URLs, keys, the task. */
  readonly env: Record<string, string>;
  /** Every request so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** What the tools did, oldest first. */
  readonly effects: readonly Effect[];
  /** Scores what the agent left behind. */
  score(output: Output): Score;
  /** Ends the server and its connections. */
  close(): Promise<void>;
}

/**
 * Starts the provider on 127.0.0.1 with one scenario.
 *
 * @throws {TypeError} for an option that is wrong or unknown. Rejects if the port is taken.
 *
 * @example
 * ```ts
 * import { startRehearsal } from 'halfopen/rehearse';
 *
 * const rehearsal = await startRehearsal({ scenario: '429-seconds' });
 * try {
 *   const answer = await fetch(`${rehearsal.env.OPENAI_BASE_URL}/chat/completions`, {
 *     method: 'POST',
 *     headers: { authorization: `Bearer ${rehearsal.env.OPENAI_API_KEY}`, 'content-type': 'application/json' },
 *     body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
 *   });
 *   console.log(answer.status); // 429
 * } finally {
 *   await rehearsal.close();
 * }
 * ```
 */
export async function startRehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const {
    scenario: name = 'refund',
    seed = 1,
    port = 0,
    speed = 10,
  } = readOptions<RehearsalOptions>(SHAPE, options, 'startRehearsal');
  const scenario = SCENARIOS.find((one) => one.name === name) as Scenario;
  const server = await startServer({ scenario, seed, port, speed });
  const { url, requests, effects } = server;
  return {
    env: {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: 'sk-rehearse-openai',
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'sk-rehearse-anthropic',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: 'AIza-rehearse-gemini',
      HALFOPEN_REHEARSE_MCP_URL: `${url}/mcp`,
      HALFOPEN_REHEARSE_TOOLS_URL: `${url}/tools`,
      HALFOPEN_REHEARSE_TASK: TASKS[scenario.task].words,
    },
    requests,
    effects,
    score: (output) => scoreOf(scenario, requests, effects, output, speed),
    close: () => server.close(),
  };
}
