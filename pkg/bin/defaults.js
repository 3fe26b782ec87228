// `npx halfopen defaults`: libraries as they are without configuration, over scenarios that are drawn by chance.
import { drawScenario, simulate } from 'halfopen/lab';
import { percent, progress, table, times } from './lab.js';

/**
 * What each does by itself, as far as a policy of the lab can say it: `about` says where that stands, and what it leaves out.
 * The scenario's timeouts are added to each.
 */
export const POLICIES = {
  'no policy': { about: 'one attempt', policy: { retry: false, breaker: false } },
  halfopen: { about: 'createPolicy()', policy: {} },
  'OpenAI SDK': {
    about:
      'openai 7.57.0: 2 retries, 0.5 s doubled up to 8 s, less up to a quarter; https://github.com/openai/openai-node#retries',
    policy: {
      retry: { maxRetries: 2, baseDelayMs: 437.5, maxDelayMs: 8000, jitter: 1 / 7, budget: false },
      breaker: false,
    },
  },
  'AI SDK': {
    about:
      'ai 6.0.326: 2 retries, 2 s doubled, none after a timeout; https://ai-sdk.dev/docs/reference/ai-sdk-core/generate-text#max-retries',
    policy: {
      retry: {
        maxRetries: 2,
        baseDelayMs: 2000,
        enableJitter: false,
        retryOn: ['RATE_LIMITED', 'PROVIDER_OVERLOADED', 'SERVER_ERROR', 'NETWORK_ERROR'],
        budget: false,
      },
      breaker: false,
    },
  },
  LangChain: {
    about:
      '@langchain/core 1.4.0, AsyncCaller: 6 retries, 1 to 2 s doubled each time; it does not wait for Retry-After, which the lab does; https://js.langchain.com/docs/how_to/chat_model_rate_limiting',
    policy: {
      retry: { maxRetries: 6, baseDelayMs: 1500, maxDelayMs: 'Infinity', jitter: 1 / 3, budget: false },
      breaker: false,
    },
  },
  'p-retry': {
    about:
      'p-retry 9.0.0: 10 retries, 1 s doubled; it does not wait for Retry-After, which the lab does; https://github.com/sindresorhus/p-retry#options',
    policy: {
      retry: { maxRetries: 10, maxDelayMs: 'Infinity', enableJitter: false, budget: false },
      breaker: false,
    },
  },
};

/** A difference that users feel, as a share of the calls. */
const FELT = 0.02;

/**
 * Runs the comparison.
 *
 * @param {{ seed: number, scenarios: number, json?: boolean | undefined }} options
 * @returns what to print.
 */
export async function compareDefaults({ seed, scenarios: count, json }) {
  const policies = Object.fromEntries(Object.entries(POLICIES).map(([name, { policy }]) => [name, policy]));
  const onProgress = progress();
  const scenarios = [];
  for (let index = 0; index < count; index++) {
    const scenario = drawScenario(seed, index, policies);
    const { policies: results } = await simulate(scenario, {
      onProgress: (share) => onProgress(Math.min((index + share) / count, 0.999)),
    });
    const found = Object.entries(results).map(([name, { totals }]) => [
      name,
      {
        answered: totals.successRate,
        load: totals.amplification / results['no policy'].totals.amplification,
      },
    ]);
    scenarios.push({ index, name: scenario.name, policies: Object.fromEntries(found) });
  }
  onProgress(1);
  const summary = Object.fromEntries(Object.keys(POLICIES).map((name) => [name, summed(name, scenarios)]));
  const lost = scenarios.map(notBest).filter((found) => found !== undefined);
  if (json) return JSON.stringify({ seed, scenarios, summary, lost }, undefined, 2);
  return `${comparison(summary)}\n\n${losses(lost, count)}\n\n${sources()}`;
}

/** A policy over all scenarios: means, and how it compares with no policy at all. */
export function summed(name, scenarios) {
  const mean = (of) => scenarios.reduce((sum, { policies }) => sum + of(policies), 0) / scenarios.length;
  const behind = scenarios.map(({ policies }) => policies['no policy'].answered - policies[name].answered);
  return {
    answered: mean((policies) => policies[name].answered),
    worse: behind.filter((points) => points > FELT).length,
    worst: Math.max(0, ...behind),
    load: mean((policies) => policies[name].load),
    mostLoad: Math.max(...scenarios.map(({ policies }) => policies[name].load)),
  };
}

/** Where another answers more than ours, by what users feel. */
function notBest({ index, name, policies }) {
  const [best, { answered }] = Object.entries(policies).reduce((a, b) =>
    b[1].answered > a[1].answered ? b : a,
  );
  const ours = policies.halfopen.answered;
  return answered - ours > FELT ? { index, name, best, answered, ours } : undefined;
}

function comparison(summary) {
  const none = summary['no policy'].answered;
  return table([
    ['defaults of', 'answered', 'more', 'worse in', 'at most', 'load', 'at most'],
    ...Object.entries(summary).map(([name, { answered, worse, worst, load, mostLoad }]) => [
      name,
      percent(answered),
      `${((answered - none) * 100).toFixed(1)}`,
      String(worse),
      (worst * 100).toFixed(1),
      times(load),
      times(mostLoad),
    ]),
  ]);
}

function losses(lost, count) {
  if (lost.length === 0)
    return `In none of ${count} scenarios does another answer 2 points more than halfopen.`;
  const rows = lost.map(({ index, name, best, answered, ours }) => [
    `${index} ${name}`,
    percent(ours),
    percent(answered),
    best,
  ]);
  return `Another answers over 2 points more in ${lost.length} of ${count}:\n${table([['scenario', 'halfopen', 'best', ''], ...rows])}`;
}

function sources() {
  return Object.entries(POLICIES)
    .map(([name, { about }]) => `${name}: ${about}`)
    .join('\n');
}
