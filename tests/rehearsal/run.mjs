// Rehearses every agent of ./agents, or those that are named, and writes docs/rehearsal.md.
//
//   node tests/rehearsal/run.mjs [agent]…       the results of the other agents stay as they are
//   node tests/rehearsal/run.mjs --page         writes the page alone, from the results in ./results
//   SCENARIOS="outage 403" node …               only these; the results of the other scenarios stay as they are
//   LIMIT_S=180 node …                          on a busy machine: an agent is ended after so long, 60 s by default
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rehearse } from '../../pkg/bin/rehearse.js';
import { writePage } from './page.mjs';

const here = import.meta.dirname;
const PYTHON = join(here, 'venv/bin/python');
const NODE_24 = join(here, 'node_modules/node-24/bin/node');
// Each scenario starts the agent anew; compiled code from the start before makes that half as long (Node 22 and newer).
process.env.NODE_COMPILE_CACHE ??= join(here, 'node_modules/.compile-cache');
/** Agents at a time: most of their time is waiting. */
const AT_ONCE = Number(process.env.AT_ONCE ?? 2);
const LIMIT_S = Number(process.env.LIMIT_S ?? 60);
const SCENARIOS = process.env.SCENARIOS?.split(' ') ?? [];

/** The agents: title, file, and the packages whose versions the page names. */
export const AGENTS = [
  { name: 'openai-halfopen', title: 'OpenAI SDK with Halfopen', packages: ['openai', 'halfopen'] },
  { name: 'ai-6-halfopen', title: 'AI SDK 6 with Halfopen', packages: ['ai', '@ai-sdk/openai', 'halfopen'] },
  {
    name: 'langchain-halfopen',
    title: 'LangChain with Halfopen',
    packages: ['langchain', '@langchain/openai', 'halfopen'],
  },
  {
    name: 'openai-agents-halfopen',
    title: 'OpenAI Agents SDK with Halfopen',
    packages: ['@openai/agents', 'halfopen'],
  },
  { name: 'mastra-halfopen', title: 'Mastra with Halfopen', packages: ['@mastra/core', 'halfopen'] },
  { name: 'openai', title: 'OpenAI SDK', packages: ['openai'] },
  { name: 'p-retry', title: 'OpenAI SDK with p-retry', packages: ['openai', 'p-retry'] },
  { name: 'cockatiel', title: 'OpenAI SDK with cockatiel', packages: ['openai', 'cockatiel'] },
  { name: 'ai-6', title: 'AI SDK 6', packages: ['ai', '@ai-sdk/openai'] },
  { name: 'ai-7', title: 'AI SDK 7', packages: ['ai-7', 'ai-7-openai'] },
  { name: 'langchain', title: 'LangChain', packages: ['langchain', '@langchain/openai'] },
  { name: 'langgraph', title: 'LangGraph', packages: ['@langchain/langgraph', '@langchain/openai'] },
  { name: 'openai-agents', title: 'OpenAI Agents SDK', packages: ['@openai/agents', 'openai'] },
  { name: 'mastra', title: 'Mastra', packages: ['@mastra/core', '@ai-sdk/openai'] },
  { name: 'effect', title: "Effect's AI", packages: ['effect', '@effect/ai', '@effect/ai-openai'] },
  { name: 'openai-python', title: 'OpenAI SDK for Python', packages: ['openai'], isPython: true },
  {
    name: 'langgraph-python',
    title: 'LangGraph for Python',
    packages: ['langgraph', 'langchain-openai'],
    isPython: true,
  },
];

const RESULTS = join(here, 'results');
mkdirSync(RESULTS, { recursive: true });
const isPageOnly = process.argv.includes('--page');
const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const unknown = named.find((name) => !AGENTS.some((agent) => agent.name === name));
if (unknown !== undefined)
  throw new Error(`there is no agent '${unknown}'; there are ${AGENTS.map(({ name }) => name).join(', ')}`);

function commandOf({ name, isPython }) {
  const file = join(here, 'agents', `${name}.${isPython ? 'py' : 'mjs'}`);
  if (isPython) return [PYTHON, file];
  // The AI SDK 7 wants a newer Node than the others run on.
  return [existsSync(NODE_24) || name === 'ai-7' ? NODE_24 : process.execPath, file];
}

function versionOf(name, isPython) {
  if (isPython)
    return readFileSync(join(here, 'requirements.txt'), 'utf8').match(new RegExp(`^${name}==(.*)$`, 'm'))[1];
  const places = [here, join(here, '../..')].map((root) => join(root, 'node_modules', name, 'package.json'));
  return JSON.parse(readFileSync(places.find(existsSync), 'utf8')).version;
}

async function rehearsed(agent) {
  const { results: all, html } = await rehearse(commandOf(agent), {
    names: SCENARIOS,
    seed: 1,
    limitS: LIMIT_S,
    speed: 10,
  });
  if (SCENARIOS.length === 0) {
    mkdirSync(join(here, 'cards'), { recursive: true });
    writeFileSync(join(here, 'cards', `${agent.name}.html`), html());
  }
  const versions = Object.fromEntries(agent.packages.map((name) => [name, versionOf(name, agent.isPython)]));
  const file = join(RESULTS, `${agent.name}.json`);
  const before =
    SCENARIOS.length === 0 || !existsSync(file) ? {} : JSON.parse(readFileSync(file, 'utf8')).scenarios;
  const made = Object.fromEntries(
    all.map(({ scenario, group, score, effects, output }) => {
      const { total, why, ...marks } = score;
      return [
        scenario,
        { group, total, ...marks, effects: effects.length, seconds: Math.round(output.ms / 100) / 10, why },
      ];
    }),
  );
  const scenarios = { ...before, ...made };
  const result = { date: new Date().toISOString().slice(0, 10), versions, scenarios };
  writeFileSync(file, `${JSON.stringify(result, undefined, 1)}\n`);
  const totals = Object.values(scenarios).map(({ total }) => total);
  console.log(`${agent.name}: ${(totals.reduce((sum, one) => sum + one, 0) / totals.length).toFixed(1)}`);
}

if (!isPageOnly) {
  const queue = AGENTS.filter(({ name }) => named.length === 0 || named.includes(name));
  const worker = async () => {
    for (let agent = queue.shift(); agent !== undefined; agent = queue.shift()) {
      const [program] = commandOf(agent);
      if (existsSync(program)) await rehearsed(agent);
      else console.log(`${agent.name}: left out, because ${program} is not there`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
const results = readdirSync(RESULTS).map((file) => [
  file.replace(/\.json$/, ''),
  JSON.parse(readFileSync(join(RESULTS, file), 'utf8')),
]);
writePage(Object.fromEntries(results), AGENTS);
