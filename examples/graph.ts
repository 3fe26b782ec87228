// A small agent as a graph on LangGraph.js: a classifier chooses where to look, an orchestrator plans, capabilities
// work, and whatever fails goes through `route`, each severity its own way: again, another plan, another choice, the
// error step, or the end of the run.
//
//   node --import tsx examples/graph.ts

import { pathToFileURL } from 'node:url';
import { Annotation, Command, END, START, StateGraph } from '@langchain/langgraph';
import { AgentError, createPolicy, type ErrorInfo, ErrorNode, ResponseHandler, route } from 'halfopen';
import OpenAI from 'openai';
import { type Failures, NO_KEY, OVERLOADED, startModel, TOO_LONG } from './graph-model.js';

const State = Annotation.Root({
  task: Annotation<string>,
  /** Where to look: what the classifier chose. */
  source: Annotation<string>,
  /** The remaining steps. */
  plan: Annotation<string[]>,
  retryCount: Annotation<number>,
  stepIndex: Annotation<number>,
  /** Why the last plan or choice was given up. */
  lesson: Annotation<string>,
  errorInfo: Annotation<ErrorInfo | undefined>,
  answer: Annotation<string>,
  /** Every step taken, in order. */
  trail: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});
type AgentState = typeof State.State;

/** Where a node goes on, and what it leaves behind. */
interface Next {
  goto: string;
  update: Partial<AgentState>;
}

/** A task that belongs elsewhere: an application's own error, with an application's own severity. */
class WrongPlace extends Error {}

export interface GraphOptions {
  /** Base URL of the model. */
  url: string;
  /** Seconds before the first retry. Default 1. */
  delaySeconds?: number;
}

/** Makes the agent. */
export function makeGraph({ url, delaySeconds = 1 }: GraphOptions) {
  const client = new OpenAI({ apiKey: 'sk-local', baseURL: url, maxRetries: 0 });
  // The graph retries whole steps, so its calls do not retry by themselves.
  const policy = createPolicy({ name: 'model', retry: false, breaker: { failureThreshold: 10 } });

  /** One call of the model; an empty, blocked or broken answer is an error like any other. */
  async function ask(prompt: string, signal?: AbortSignal, maxTokens = 200): Promise<string> {
    const response = await policy.execute(
      (context) =>
        client.chat.completions.create(
          { model: 'local', max_completion_tokens: maxTokens, messages: [{ role: 'user', content: prompt }] },
          { signal: context.signal },
        ),
      signal === undefined ? {} : { signal },
    );
    const handler = new ResponseHandler();
    handler.processResponse(response);
    return handler.getFinalResponse();
  }

  /** A node: what it throws goes to `recover`, with its name on it. */
  const step =
    (name: string, run: (state: AgentState) => Promise<Next>) =>
    async (state: AgentState): Promise<Command> => {
      try {
        const { goto, update } = await run(state);
        return new Command({ goto, update: { ...update, trail: [name], retryCount: 0 } });
      } catch (error) {
        const retryPolicy = { maxAttempts: 3, delaySeconds, backoffFactor: 1.5 };
        const errorInfo: ErrorInfo = { error, capabilityName: name, retryPolicy };
        if (error instanceof WrongPlace) {
          errorInfo.classification = { severity: 'reclassification', userMessage: error.message };
        }
        return new Command({ goto: 'recover', update: { errorInfo, trail: [`${name} failed`] } });
      }
    };

  const classifier = step('classifier', async ({ task, lesson = '' }) => {
    const source = await ask(`classify: ${task} ${lesson}`);
    return { goto: 'orchestrator', update: { source } };
  });

  const orchestrator = step('orchestrator', async ({ task, source, lesson = '' }) => {
    const planned = await ask(`plan: ${task} ${lesson}`);
    const plan = [source, ...planned.split(', ')];
    return { goto: plan[0] ?? END, update: { plan, stepIndex: 0 } };
  });

  const capability = (name: string) =>
    step(name, async ({ task, plan, stepIndex }) => {
      if (task === 'start without settings') throw new AgentError('INITIALIZATION_ERROR', 'no settings');
      if (name === 'search' && task.includes('my notes')) throw new WrongPlace('It is not on the web.');
      const answer = await ask(`${name}: ${task}`);
      const rest = plan.slice(1);
      return { goto: rest[0] ?? END, update: { plan: rest, stepIndex: stepIndex + 1, answer } };
    });

  /** Where to go after an error: each severity its own way. */
  async function recover(state: AgentState): Promise<Command> {
    const { errorInfo, retryCount = 0 } = state;
    const next = route(errorInfo as ErrorInfo, { retryCount });
    const trail = [next.next];
    switch (next.next) {
      case 'retry':
        await new Promise((resolve) => setTimeout(resolve, next.delayMs));
        return new Command({ goto: next.capability, update: { retryCount: next.attempt, trail } });
      case 'orchestrator': {
        const { code } = AgentError.from(errorInfo?.error);
        return new Command({ goto: 'orchestrator', update: { lesson: `${code}: ${next.reason}`, trail } });
      }
      case 'classifier':
        return new Command({ goto: 'classifier', update: { lesson: 'It is not on the web.', trail } });
      case 'error':
        return new Command({ goto: 'error', update: { trail } });
      case 'abort':
        throw next.error;
    }
  }

  const errors = new ErrorNode({
    capabilities:
      'search: looks on the web. notes: looks in your notes. shorten, summarise: work on what was found.',
    complete: (prompt, { maxTokens, signal }) => ask(prompt, signal, maxTokens),
  });

  const capabilities = ['search', 'notes', 'shorten', 'summarise'] as const;
  const anywhere = { ends: [...capabilities, 'recover', END] };
  return new StateGraph(State)
    .addNode('classifier', classifier, { ends: ['orchestrator', 'recover'] })
    .addNode('orchestrator', orchestrator, anywhere)
    .addNode('search', capability('search'), anywhere)
    .addNode('notes', capability('notes'), anywhere)
    .addNode('shorten', capability('shorten'), anywhere)
    .addNode('summarise', capability('summarise'), anywhere)
    .addNode('recover', recover, { ends: ['classifier', 'orchestrator', 'error', ...capabilities] })
    .addNode('error', async ({ task, retryCount, stepIndex, errorInfo }: AgentState) => {
      const { messages } = await errors.execute({ currentTask: task, retryCount, stepIndex, errorInfo });
      return { answer: messages[0].content };
    })
    .addEdge(START, 'classifier')
    .addEdge('error', END)
    .compile();
}

/** The result of one run of the agent. */
export interface Run {
  answer: string;
  trail: string[];
}

/** Runs the agent on a task, with a model of its own that fails as told. Rejects with a fatal error. */
export async function runGraph(task: string, failures: Failures = {}, delaySeconds = 1): Promise<Run> {
  const model = await startModel(failures);
  try {
    const { answer, trail } = await makeGraph({ url: model.url, delaySeconds }).invoke({ task });
    return { answer, trail };
  } finally {
    await model.close();
  }
}

/** One task for each severity, and how the model fails at it. */
export const SCENES: Readonly<Record<string, { task: string; failures?: Failures }>> = {
  retriable: { task: 'the weather in Oslo', failures: { search: [OVERLOADED, OVERLOADED] } },
  replanning: { task: 'War and Peace in a sentence', failures: { summarise: [TOO_LONG] } },
  reclassification: { task: 'what my notes say of Oslo' },
  critical: { task: 'the price of tea', failures: { search: [NO_KEY] } },
  exhausted: { task: 'the news', failures: { search: [OVERLOADED, OVERLOADED, OVERLOADED, OVERLOADED] } },
  fatal: { task: 'start without settings' },
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [severity, { task, failures }] of Object.entries(SCENES)) {
    console.log(`\n── ${severity}: ${task}`);
    try {
      const { answer, trail } = await runGraph(task, failures, 0.05);
      console.log(`${trail.join(' → ')}\n${answer}`);
    } catch (error) {
      console.log(`the run ended: ${AgentError.from(error).code}`);
    }
  }
}
