/** The scripted model: it asks for the tools that the task needs, one after the other, and answers when it has their results. */
import { ARGUMENTS, FACT, MAIL, ORDER, RECEIPT } from './tools.js';
import type { Answer, Conversation, ModelCall, PastCall } from './wires/wire.js';

/** What the user asks for. */
export interface Task {
  readonly words: string;
  /** The tools that it needs, in order. */
  readonly plan: readonly string[];
  readonly answer: string;
  /** What the user must read: it stands in nothing but the results. */
  readonly proof: string;
}

export const TASKS = {
  refund: {
    words: `Order ${ORDER} arrived damaged. Look it up, refund it, and write the customer a mail.`,
    plan: ['find_order', 'refund', 'send_mail'],
    answer: `Order ${ORDER} is refunded, receipt ${RECEIPT}, and the customer has a mail about it (${MAIL}).`,
    proof: RECEIPT,
  },
  lookup: {
    words: `What is the state of order ${ORDER}?`,
    plan: ['find_order'],
    answer: `Order ${ORDER} was delivered damaged; its price is 42.`,
    proof: 'delivered damaged',
  },
  search: {
    words: 'How long does a refund take? Look into the help pages.',
    plan: ['search'],
    answer: `A refund takes three working days (help page ${FACT}).`,
    proof: FACT,
  },
  question: {
    words: 'Say in one sentence what you can do for me.',
    plan: [],
    answer: 'I find orders, refund them, write mails and search the help pages for you.',
    proof: 'search the help pages',
  },
} as const satisfies Record<string, Task>;

/** How the model departs from a good one. */
export type Habit =
  /** Asks for the first tool of its plan again and again, with the same words. */
  | 'repeats'
  /** Searches again and again, with other words each time. */
  | 'searches'
  /** Asks for two tools in turn, without an end. */
  | 'alternates'
  /** Asks for two tools that read at once. */
  | 'parallel'
  /** Asks for the refund twice in one answer. */
  | 'twice';

/** A result shows its success by its fields. */
const SHOWS: Readonly<Record<string, RegExp>> = {
  find_order: /delivered/,
  refund: new RegExp(RECEIPT),
  send_mail: new RegExp(MAIL),
  search: new RegExp(FACT),
};
/** Failed calls of one tool, after which the model gives up. */
const PATIENCE = 3;

export function nextAnswer(
  { tools, calls }: Conversation,
  task: Task,
  habit: Habit | undefined,
  newId: () => string,
): Answer {
  const call = (...names: string[]): Answer => ({
    text: '',
    finish: 'tools',
    calls: names.map((name): ModelCall => {
      const args = ARGUMENTS[name] ?? {};
      const isNew = habit === 'searches' && name === 'search';
      return {
        id: newId(),
        name,
        args: JSON.stringify(isNew ? { query: `refund ${calls.length + 1}` } : args),
      };
    }),
  });
  const has = (name: string) => tools.includes(name);
  if (habit === 'repeats' && has('find_order')) return call('find_order');
  if (habit === 'searches' && has('search')) return call('search');
  if (habit === 'alternates' && has('find_order') && has('search'))
    return call(calls.length % 2 === 0 ? 'find_order' : 'search');

  const plan = task.plan.filter(has);
  if (plan.length < task.plan.length)
    return say(`I cannot do that: I have no tool '${task.plan.find((name) => !has(name))}'.`);
  const done = (name: string) => calls.some((past) => past.name === name && isGood(past));
  const next = plan.find((name) => !done(name));
  if (next === undefined) return say(task.answer);
  const failures = calls.filter((past) => past.name === next).length;
  if (failures >= PATIENCE) return say(`I could not finish this: ${next} failed ${failures} times.`);
  if (habit === 'parallel' && next === 'find_order' && has('search')) return call('find_order', 'search');
  return habit === 'twice' && next === 'refund' ? call('refund', 'refund') : call(next);
}

const isGood = ({ name, result }: PastCall) => result !== undefined && (SHOWS[name]?.test(result) ?? true);

const say = (text: string): Answer => ({ text, calls: [], finish: 'stop' });

/** An answer without content, instead of a good one. */
export function spoiled(
  answer: Answer,
  is:
    | 'empty'
    | 'refused'
    | 'filtered'
    | 'cut-off'
    | 'no-json'
    | 'cut-json'
    | 'unknown-tool'
    | 'wrong-arguments',
): Answer {
  const { text, calls } = answer;
  const withCalls = (change: (call: ModelCall) => ModelCall): Answer => ({
    ...answer,
    calls: calls.map(change),
  });
  switch (is) {
    case 'empty':
      return say('');
    case 'refused':
      return { text: "I'm sorry, but I can't assist with that request.", calls: [], finish: 'refusal' };
    case 'filtered':
      return { text: '', calls: [], finish: 'filter' };
    case 'cut-off':
      return { text: text.slice(0, text.length / 2), calls: [], finish: 'length' };
    case 'no-json':
      return withCalls((call) => ({ ...call, args: 'order_id is 1001, I think' }));
    case 'cut-json':
      return { ...withCalls((call) => ({ ...call, args: call.args.slice(0, -4) })), finish: 'length' };
    case 'unknown-tool':
      return withCalls((call) => ({ ...call, name: 'look_up_everything' }));
    case 'wrong-arguments':
      return withCalls((call) => ({ ...call, args: '{"id":1001}' }));
  }
}
