/** The tools of `npx halfopen mcp`. All of them read; none changes a running agent. */

import { explainClassification } from '../classify/explain.js';
import { explore } from '../lab/explore.js';
import { recordedPolicy } from '../lab/recorded-options.js';
import { type ReplayedCalls, replay } from '../lab/replay.js';
import type { LabPolicy, Scenario } from '../lab/scenario.js';
import { simulate } from '../lab/simulate.js';
import { simulateMany } from '../lab/simulate-many.js';
import { answerOf, textOf } from './answers.js';
import { page, partsFrom, placeOf, textPage } from './bounded.js';
import type { Docs } from './docs.js';
import { type Diagnosis, diagnosisOf, type Finding, type LogSource, type LogSummary } from './index.js';
import { checkScenario, EXAMPLE, FORMAT } from './scenario.js';

/** The type of an argument, in JSON Schema's words. */
interface Argument {
  readonly type: 'string' | 'integer' | 'object';
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

type Arguments = Readonly<Record<string, unknown>>;

/** A tool: what the agent reads of it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly arguments: Readonly<Record<string, Argument>>;
  readonly required?: readonly string[];
  run(given: Arguments, of: Resources): string | Promise<string>;
}

/** The resources of the tools. */
interface Resources {
  readonly log: OpenLog;
  readonly docs: () => Docs;
  readonly signal: AbortSignal;
}

/** The log that the tools are about. It is read at their first use, and again when it may have changed. */
export class OpenLog {
  private read: { version: string; diagnosis: Promise<Diagnosis> } | undefined;

  /** @param find - finds the log; it throws an error that says how to name one. */
  constructor(private readonly find: () => LogSource | Promise<LogSource>) {}

  source(): Promise<LogSource> {
    return Promise.resolve(this.find());
  }

  async diagnosis(): Promise<Diagnosis> {
    const source = await this.source();
    const version = `${source.place} ${source.version()}`;
    if (this.read?.version !== version) {
      const diagnosis = diagnosisOf(source);
      this.read = { version, diagnosis };
      // The next tool reads again.
      diagnosis.catch(() => {
        if (this.read?.diagnosis === diagnosis) this.read = undefined;
      });
    }
    return this.read.diagnosis;
  }
}

const CURSOR: Argument = {
  type: 'string',
  description: "the 'next' of an earlier result, for what follows it",
};
const FILTER =
  'words and keys, all of which must hold: status:failed, code:RATE_LIMITED, policy:chat, provider:openai, duration>2s, attempts>1, a text of the failure; - in front of one excludes, a comma is or. A status is ok, fallback (a fallback answered), failed (after its attempts), rejected (refused by breaker, limit or queue), cancelled, running, waiting, queued or silent. Default: all calls';

/** Most simulated seeds of one tool call. */
const MOST_SEEDS = 200;
const SEEDS = (otherwise: number): Argument => ({
  type: 'integer',
  minimum: 1,
  maximum: MOST_SEEDS,
  description: `how often to run, each time with a new seed. Default: ${otherwise}`,
});

export const TOOLS: readonly Tool[] = [
  {
    name: 'findings',
    description:
      "Problems in the log, worst first: what was seen and how often, the calls that show it, the setting to change, and the code of that setting alone, to merge into your policy. Begin here. 'harm' makes users worse off, 'risk' will hurt on a bad day, 'note' could be better.",
    arguments: { cursor: CURSOR },
    async run({ cursor }, { log }) {
      const diagnosis = await log.diagnosis();
      const { findings } = diagnosis.query<{ findings: Finding[] }>('findings');
      const head = { log: diagnosis.query<LogSummary>('log'), total: findings.length };
      return page(partsFrom(cursor, { head, name: 'findings', items: findings }));
    },
  },
  {
    name: 'calls',
    description: 'The calls of the log that pass a filter, oldest first, each in one sentence.',
    arguments: { filter: { type: 'string', description: FILTER }, cursor: CURSOR },
    async run({ filter = '', cursor }, { log }) {
      const found = (await log.diagnosis()).query<{
        total: number;
        calls: { number: number }[];
        next: number | null;
      }>('calls', { filter, from: placeOf(cursor), most: 200 });
      const { total, calls, next } = found;
      const cursorOf = (item: unknown) => (item as { number: number }).number;
      return page({ head: { total }, name: 'calls', items: calls, cursorOf, more: next ?? undefined });
    },
  },
  {
    name: 'call',
    description:
      'One call with everything that is known: its attempts with codes, rules and signals, its waits, and what the user read.',
    arguments: { id: { type: 'string', description: "the call's id" }, cursor: CURSOR },
    required: ['id'],
    async run({ id, cursor }, { log }) {
      const { steps, ...head } = (await log.diagnosis()).query<{ steps: unknown[] }>('call', { id });
      return page(partsFrom(cursor, { head, name: 'steps', items: steps }));
    },
  },
  {
    name: 'runs',
    description:
      'The runs of agents in the log, newest first: how each ended, its steps, tools, tokens and cost.',
    arguments: { cursor: CURSOR },
    async run({ cursor }, { log }) {
      const from = placeOf(cursor);
      const found = (await log.diagnosis()).query<{ total: number; runs: unknown[]; next: number | null }>(
        'runs',
        { skip: from },
      );
      const { total, runs, next } = found;
      return page({ head: { total }, name: 'runs', items: runs, from, more: next ?? undefined });
    },
  },
  {
    name: 'run',
    description:
      'One run: its steps with tool calls, warnings and advice, whether the advice helped, and its calls.',
    arguments: { id: { type: 'string', description: "the run's id" }, cursor: CURSOR },
    required: ['id'],
    async run({ id, cursor }, { log }) {
      const { timeline, calls, ...head } = (await log.diagnosis()).query<{
        timeline: unknown[];
        calls: unknown[];
      }>('run', { id });
      return page(partsFrom(cursor, { head, name: 'parts', items: [...timeline, ...calls] }));
    },
  },
  {
    name: 'classify',
    description:
      'Classifies an error: its code, whether a retry can help, which change of the request would, what the user reads, and the rules that decided. Needs no log.',
    arguments: {
      error: {
        type: 'string',
        description:
          'the error as text, or as JSON with its fields (name, message, status, code, headers, error)',
      },
      provider: { type: 'string', description: 'the id of its provider, such as openai or anthropic' },
    },
    required: ['error'],
    run({ error, provider }) {
      const context = provider === undefined ? {} : { provider: provider as string };
      const { tried, ...explained } = explainClassification(jsonOr(error as string), context);
      // Those that had nothing to do with it are hundreds.
      const near = tried.filter(({ close, decided }) => close || decided);
      return page({ head: { ...explained, triedInAll: tried.length }, name: 'rules', items: near });
    },
  },
  {
    name: 'explain_policy',
    description:
      'A policy of the log: its options, calls and their durations, its breaker, and the findings about it; `replayable` has the options that the tool replay takes. Without a name: all policies, those with the most calls first.',
    arguments: { policy: { type: 'string', description: "the policy's name" }, cursor: CURSOR },
    async run({ policy: name, cursor }, { log }) {
      const diagnosis = await log.diagnosis();
      if (name === undefined) {
        const { policies } = diagnosis.query<{ policies: unknown[] }>('policies');
        return page(partsFrom(cursor, { name: 'policies', items: policies }));
      }
      const { findings, ...of } = diagnosis.query<{ findings: unknown[]; options: unknown }>('policy', {
        name,
      });
      const head = { ...of, replayable: of.options === null ? null : recordedPolicy(of.options) };
      return page(partsFrom(cursor, { head, name: 'findings', items: findings }));
    },
  },
  {
    name: 'replay',
    description:
      "The log under other policies: the totals before and after, the range of 95 % of the seeds, each policy in one row ([before, after]; the whole results by `npx halfopen replay --json`), and the calls that end otherwise. 'identity' is the share of the log that its own policies give back: below 1, read the rest with care. Attempts that are not in the log are drawn from those of the same provider or policy. null is a figure that the log cannot tell: 'says' has why, and 'afterBand' its bounds.",
    arguments: {
      policies: {
        type: 'object',
        description:
          'the policies to use instead, by their names in the log, whole: begin with `replayable` of explain_policy and change an option. {"chat": {"retry": {"maxRetries": 1}}} has the defaults for all else',
      },
      seeds: SEEDS(30),
      cursor: CURSOR,
    },
    required: ['policies'],
    async run({ policies, seeds = 30, cursor }, { log, signal }) {
      const source = await log.source();
      const {
        changed,
        policies: each,
        ...head
      } = await replay(source.lines(), {
        policies: policies as Record<string, LabPolicy>,
        seeds: seeds as number,
        signal,
      });
      const rows = Object.entries(each).slice(0, MOST_POLICIES);
      const total = changed.length;
      const morePolicies = Object.keys(each).length - rows.length;
      const of = rows.map(([name, of]) => rowOf(name, of));
      const all = { ...head, policies: of, ...(morePolicies > 0 && { morePolicies }), total };
      return page(partsFrom(cursor, { head: all, name: 'changed', items: changed }));
    },
  },
  {
    name: 'simulate',
    description:
      "Simulate a scenario of the policy lab: its policies side by side against a provider that fails as the scenario says. The argument 'scenario' has the format and an example; 'docs' has the page lab. Needs no log.",
    arguments: {
      scenario: { type: 'object', description: FORMAT },
      seeds: SEEDS(1),
      cursor: CURSOR,
    },
    required: ['scenario'],
    async run({ scenario, seeds = 1, cursor }, { signal }) {
      checkScenario(scenario);
      const given = scenario as unknown as Scenario;
      const { policies } = await simulate(given, { signal });
      const bands = seeds === 1 ? undefined : await simulateMany(given, { seeds: seeds as number, signal });
      // The course over time is for charts.
      const items = Object.entries(policies).map(([policy, { totals, expectations }]) => ({
        policy,
        totals,
        expectations,
        bands: bands?.[policy],
      }));
      return page(partsFrom(cursor, { name: 'policies', items }));
    },
  },
  {
    name: 'explore',
    description:
      "Explore a policy of a scenario with every combination of some options: the combinations that no other beats. The format of a scenario is that of the tool 'simulate'. Needs no log.",
    arguments: {
      scenario: {
        type: 'object',
        description: `in the format of the tool 'simulate'; its \`expect\` has the limits that a choice must meet. Example: ${JSON.stringify(EXAMPLE)}`,
      },
      policy: { type: 'string', description: 'the name of the policy in the scenario: now' },
      vary: {
        type: 'object',
        description:
          'the values of each option by its path: {"retry.maxRetries": [0, 1, 2], "timeout.attemptMs": [1000, 2000]}',
      },
      seeds: SEEDS(1),
      cursor: CURSOR,
    },
    required: ['scenario', 'policy', 'vary'],
    async run({ scenario, policy, vary, seeds = 1, cursor }, { signal }) {
      checkScenario(scenario);
      const { present, points, blocking } = await explore(scenario as unknown as Scenario, {
        policy: policy as string,
        vary: vary as Record<string, readonly unknown[]>,
        seeds: seeds as number,
        signal,
      });
      const head = {
        points: points.length,
        meeting: points.filter(({ meets }) => meets).length,
        blocking,
        present,
      };
      const front = points.filter(({ onFront }) => onFront);
      return page(partsFrom(cursor, { head, name: 'front', items: front }));
    },
  },
  {
    name: 'export_test',
    description:
      "A call of the log as a test file for node:test, on a virtual clock. For the findings short-timeout, no-timeout and hair-trigger ('demands' has which) the test demands the change: it fails with the policy as it is in the log, and passes once that is changed. If none of them names the call, it repeats the call, and passes until you change its expectations; another 'finding' is refused. Name the module of your policy, so that the test holds your code: a policy that is made in a function must be exported first.",
    arguments: {
      id: { type: 'string', description: "the call's id: one that the finding names as its evidence" },
      finding: {
        type: 'string',
        description:
          "the finding's check, such as no-timeout. Default: the worst one with a test that names this call",
      },
      policyModule: {
        type: 'string',
        description:
          'the module that exports your policy or its options, as the test imports it: ../src/policies.js. Default: the test has the recorded options, in a marked place on top',
      },
      policyExport: {
        type: 'string',
        description:
          "the name of that export, or default. Default: the policy's name if it can be one, else policy",
      },
      language: {
        type: 'string',
        enum: ['javascript', 'typescript'],
        description: 'javascript (a .test.mjs, the default) or typescript (run by tsx)',
      },
      cursor: CURSOR,
    },
    required: ['id'],
    async run({ id, finding, policyModule = '', policyExport = '', language, cursor }, { log }) {
      if (policyExport !== '' && !NAME.test(policyExport as string))
        throw new TypeError(`'policyExport' expects the name of an export, got ${shortJson(policyExport)}`);
      const {
        number,
        question,
        demands: proposed,
        policy,
      } = (await log.diagnosis()).query<{
        number: number;
        question: string;
        demands: string | null;
        policy: string;
      }>('test', {
        id,
        ...(finding !== undefined && { finding }),
        typescript: language === 'typescript',
        module: policyModule,
        export: policyExport,
      });
      const code = textOf(await answerOf(number, question));
      // The call decides whether its attempts can show it.
      const demands = code.includes(DEMANDS) ? proposed : null;
      if (demands === null && finding !== undefined)
        throw new TypeError(
          `the call '${id}' does not show enough for a test of '${finding}': take another one of its evidence`,
        );
      const file = `${policy.replaceAll(/\W+/g, '-') || 'policy'}-${demands ?? 'call'}.test.${language === 'typescript' ? 'ts' : 'mjs'}`;
      return textPage(cursor, { demands, file }, 'code', code);
    },
  },
  {
    name: 'docs',
    description:
      "The documentation of the installed version, offline. With 'query': the sections that have all its words, those with all in their title first. With 'page': that page. Without: the names of the pages.",
    arguments: {
      query: { type: 'string', description: 'words to find, such as an option, a code or an error message' },
      page: { type: 'string', description: 'the name of a page, such as policies/retry' },
      cursor: CURSOR,
    },
    run({ query, page: name, cursor }, { docs }) {
      if (name !== undefined) {
        const text = docs().page(name as string);
        if (text === undefined)
          throw new TypeError(`there is no page '${String(name)}': search with 'query'`);
        return textPage(cursor, { page: name }, 'text', text);
      }
      if (query === undefined) return page(partsFrom(cursor, { name: 'pages', items: docs().names }));
      const items = docs()
        .search(query as string)
        .slice(0, 40);
      const unknown = docs().unknownOf(query as string);
      // Nothing is found for a word that no page has: fewer words may help.
      const head = unknown.length > 0 ? { unknownWords: unknown } : {};
      return page(partsFrom(cursor, { head, name: 'sections', items, isOwn: true }));
    },
  },
];

/** In the head of a test for a finding; web/answers/src/export/demand.rs writes it. */
const DEMANDS = '// It demands the change that the finding asks for.';

/** The name of an export, as an import statement has it. */
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Most policies that a replay has a row for. */
const MOST_POLICIES = 20;

/** The results of a policy's calls in one row, with the figures before and after. */
function rowOf(policy: string, { identity, before, after, unknown }: ReplayedCalls): Record<string, unknown> {
  const pair = (name: 'succeeded' | 'failed' | 'rejected' | 'fallbacks' | 'attempts') => [
    before[name],
    after[name],
  ];
  return {
    policy,
    calls: before.offered,
    succeeded: pair('succeeded'),
    failed: pair('failed'),
    refused: pair('rejected'),
    fallbacks: pair('fallbacks'),
    attempts: pair('attempts'),
    p95Ms: [before.userMs.p95, after.userMs.p95],
    identity,
    unknown,
  };
}

/**
 * Checks the arguments of a tool.
 *
 * @throws TypeError that names the argument, what was expected and what came.
 */
export function checkArguments({ arguments: known, required = [] }: Tool, given: Arguments): void {
  for (const [name, value] of Object.entries(given)) {
    const argument = Object.hasOwn(known, name) ? known[name] : undefined;
    if (argument === undefined)
      throw new TypeError(`there is no argument '${name}'; there are ${Object.keys(known).join(', ')}`);
    if (value !== undefined && !fits(argument, value))
      throw new TypeError(`'${name}' expects ${inWords(argument)}, got ${shortJson(value)}`);
  }
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) throw new TypeError(`'${missing}' is missing: ${known[missing]?.description}`);
}

function fits(
  { type, enum: choices, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Argument,
  value: unknown,
): boolean {
  if (type === 'integer')
    return Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === 'string' && (choices === undefined || choices.includes(value));
}

function inWords({ type, enum: choices, minimum, maximum }: Argument): string {
  if (choices !== undefined) return choices.join(' or ');
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`;
  return type === 'object' ? 'an object' : 'a string';
}

const shortJson = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 80);

/** A text of JSON as its value; another as it is. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
