/** The scenarios: a row each. */
import type { Fault, ToolFault } from './faults.js';
import type { Habit, TASKS } from './model.js';

export interface Scenario {
  readonly name: string;
  readonly group: 'wire' | 'stream' | 'answer' | 'conversation' | 'loop' | 'effect' | 'calm';
  readonly about: string;
  readonly task: keyof typeof TASKS;
  /** What happens to the requests to models, in order; then all is well. */
  readonly faults?: readonly (Fault | 'well')[];
  /** The fault of every request after `faults`. */
  readonly forever?: Fault;
  /** The provider that was requested first answers 503 from this request on, counted from 0. */
  readonly outageFrom?: number;
  /** The model that was named first is retired. */
  readonly retires?: boolean;
  /** Tokens that every model reads at most. */
  readonly contextTokens?: number;
  /** Results of `search` are this many bytes long. */
  readonly resultBytes?: number;
  readonly habit?: Habit;
  /** What happens to the calls of each tool, in order; then all is well. */
  readonly tools?: Readonly<Record<string, readonly ToolFault[]>>;
  /** The fault of every call, by tool. */
  readonly toolsForever?: Readonly<Record<string, ToolFault>>;
  /** Requests to models are streamed one byte at a time. */
  readonly isByBytes?: boolean;
  /** Even the best agent cannot do the task: an honest message is all that there is. */
  readonly isHopeless?: boolean;
  /** What the best agent needs: requests to models, and seconds of the provider's time. Tokens: 1,500 for each request. */
  readonly best: { readonly requests: number; readonly seconds: number };
}

const error = (name: Extract<Fault, { kind: 'error' }>['error'], more: object = {}): Fault => ({
  kind: 'error',
  error: name,
  ...more,
});
const limited = (hint: 'seconds' | 'milliseconds' | 'date' | 'words' | 'reset-headers', waitS = 10) =>
  error('rate-limited', { hint, waitS });
const answer = (is: Extract<Fault, { kind: 'answer' }>['is']): Fault => ({ kind: 'answer', is });
/** Looks an order up: two requests if nothing goes wrong. */
const lookup = { task: 'lookup' } as const;
const refund = { task: 'refund' } as const;
const needs = (requests: number, seconds = 0) => ({ best: { requests, seconds } });

const WIRE: readonly Omit<Scenario, 'group'>[] = [
  {
    name: '429-seconds',
    about: '429 with Retry-After in seconds',
    ...lookup,
    faults: [limited('seconds')],
    ...needs(3, 10),
  },
  {
    name: '429-milliseconds',
    about: '429 with retry-after-ms',
    ...lookup,
    faults: [limited('milliseconds', 12)],
    ...needs(3, 12),
  },
  {
    name: '429-date',
    about: '429 with Retry-After as a date',
    ...lookup,
    faults: [limited('date', 20)],
    ...needs(3, 20),
  },
  {
    name: '429-words',
    about: '429 that says how long to wait in its message only',
    ...lookup,
    faults: [limited('words', 12)],
    ...needs(3, 12),
  },
  {
    name: '429-reset-headers',
    about: '429 with the headers of the limits only',
    ...lookup,
    faults: [limited('reset-headers', 10)],
    ...needs(3, 10),
  },
  {
    name: '429-no-hint',
    about: '429 without a word on how long to wait',
    ...lookup,
    faults: [error('rate-limited')],
    ...needs(3, 5),
  },
  {
    name: '429-thrice',
    about: 'Three times 429, each with a hint',
    ...lookup,
    faults: [limited('milliseconds', 5), limited('milliseconds', 5), limited('milliseconds', 5)],
    ...needs(5, 15),
  },
  {
    name: '429-mid-task',
    about: '429 between two tools',
    ...refund,
    faults: ['well', 'well', limited('seconds')],
    ...needs(5, 10),
  },
  {
    name: '429-quota',
    about: 'The money is used up: waiting does not help',
    ...lookup,
    forever: error('quota-exceeded'),
    isHopeless: true,
    ...needs(1),
  },
  { name: '500-once', about: 'One 500', ...lookup, faults: [error('server-error')], ...needs(3, 5) },
  {
    name: '500-twice',
    about: 'Two times 500',
    ...lookup,
    faults: [error('server-error'), error('server-error')],
    ...needs(4, 15),
  },
  {
    name: '502-page',
    about: "A gateway's page with 502",
    ...lookup,
    faults: [{ kind: 'page', status: 502 }],
    ...needs(3, 5),
  },
  { name: '503-once', about: 'One 503', ...lookup, faults: [error('unavailable')], ...needs(3, 5) },
  {
    name: '504-page',
    about: "A gateway's page with 504",
    ...lookup,
    faults: [{ kind: 'page', status: 504 }],
    ...needs(3, 5),
  },
  {
    name: '529-once',
    about: 'One 529, overloaded',
    ...lookup,
    faults: [error('overloaded')],
    ...needs(3, 5),
  },
  {
    name: '529-twice',
    about: 'Two times 529',
    ...lookup,
    faults: [error('overloaded'), error('overloaded')],
    ...needs(4, 15),
  },
  { name: '408-once', about: 'One 408', ...lookup, faults: [error('timeout')], ...needs(3, 5) },
  {
    name: '409-once',
    about: 'One 409 that asks for a retry',
    ...lookup,
    faults: [error('conflict')],
    ...needs(3, 5),
  },
  {
    name: 'reset-once',
    about: 'The connection is reset before an answer',
    ...lookup,
    faults: [{ kind: 'reset' }],
    ...needs(3, 5),
  },
  {
    name: 'reset-twice',
    about: 'The connection is reset twice',
    ...lookup,
    faults: [{ kind: 'reset' }, { kind: 'reset' }],
    ...needs(4, 15),
  },
  {
    name: 'silence',
    about: 'Nothing comes, then the connection ends',
    ...lookup,
    faults: [{ kind: 'silence', s: 15 }],
    ...needs(3, 20),
  },
  {
    name: '401',
    about: 'The key is wrong; the error repeats it',
    ...lookup,
    forever: error('unauthorized'),
    isHopeless: true,
    ...needs(1),
  },
  {
    name: '403',
    about: 'The country is not served',
    ...lookup,
    forever: error('forbidden'),
    isHopeless: true,
    ...needs(1),
  },
  {
    name: 'outage',
    about: '503 without an end',
    ...lookup,
    forever: error('unavailable'),
    isHopeless: true,
    ...needs(3, 30),
  },
];

const CUTS = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99];
const percent = (at: number) => Math.round(at * 100);
const STREAM: readonly Omit<Scenario, 'group'>[] = [
  ...CUTS.map((at) => ({
    name: `cut-${percent(at)}`,
    about: `An answer is cut after ${percent(at)} % of it`,
    ...lookup,
    faults: [{ kind: 'cut', at } as const],
    ...needs(3, 5),
  })),
  {
    name: 'cut-mid-task',
    about: 'The answer after the refund is cut',
    ...refund,
    faults: ['well', 'well', 'well', { kind: 'cut', at: 0.5 }],
    ...needs(5, 5),
  },
  {
    name: 'error-in-stream-early',
    about: 'A stream reports an error at its beginning',
    ...lookup,
    faults: [{ kind: 'error-in-stream', at: 0.1 }],
    ...needs(3, 5),
  },
  {
    name: 'error-in-stream-late',
    about: 'A stream reports an error near its end',
    ...lookup,
    faults: [{ kind: 'error-in-stream', at: 0.8 }],
    ...needs(3, 5),
  },
  {
    name: 'stall-in-stream',
    about: 'A stream stops in the middle, and its connection ends later',
    ...lookup,
    faults: [{ kind: 'stall', at: 0.5, s: 15 }],
    ...needs(3, 20),
  },
  { name: 'no-body', about: '200 without a body', ...lookup, faults: [{ kind: 'no-body' }], ...needs(3, 5) },
  {
    name: '200-page',
    about: "A portal's page with 200 instead of an answer",
    ...lookup,
    faults: [{ kind: 'page', status: 200 }],
    ...needs(3, 5),
  },
];

const ANSWER: readonly Omit<Scenario, 'group'>[] = [
  { name: 'empty', about: 'An empty answer', ...lookup, faults: [answer('empty')], ...needs(3) },
  {
    name: 'empty-twice',
    about: 'Two empty answers',
    ...lookup,
    faults: [answer('empty'), answer('empty')],
    ...needs(4),
  },
  {
    name: 'refused',
    about: 'The model refuses the task',
    ...lookup,
    forever: answer('refused'),
    isHopeless: true,
    ...needs(1),
  },
  {
    name: 'filtered',
    about: 'A filter holds the answer back',
    ...lookup,
    forever: answer('filtered'),
    isHopeless: true,
    ...needs(2),
  },
  {
    name: 'cut-off',
    about: 'The answer ends at the limit of tokens',
    task: 'question',
    faults: [answer('cut-off')],
    ...needs(2),
  },
  {
    name: 'arguments-no-json',
    about: 'Arguments that are no JSON',
    ...lookup,
    faults: [answer('no-json')],
    ...needs(3),
  },
  {
    name: 'arguments-cut',
    about: 'Arguments that are cut off',
    ...lookup,
    faults: [answer('cut-json')],
    ...needs(3),
  },
  {
    name: 'arguments-wrong',
    about: 'Arguments that are not those of the tool',
    ...lookup,
    faults: [answer('wrong-arguments')],
    ...needs(3),
  },
  {
    name: 'unknown-tool',
    about: 'A call of a tool that does not exist',
    ...lookup,
    faults: [answer('unknown-tool')],
    ...needs(3),
  },
];

const CONVERSATION: readonly Omit<Scenario, 'group'>[] = [
  {
    name: 'context-too-long',
    about: 'A result is longer than the model reads',
    task: 'search',
    contextTokens: 12_000,
    resultBytes: 120_000,
    ...needs(3),
  },
  {
    name: 'model-retired',
    about: 'The model that is named first is retired',
    ...lookup,
    retires: true,
    ...needs(3),
  },
  {
    name: 'provider-down',
    about: 'The first provider is down; others are up',
    ...lookup,
    outageFrom: 0,
    ...needs(4, 10),
  },
  {
    name: 'provider-dies',
    about: 'The first provider dies in the middle; another one must go on with its history',
    ...refund,
    outageFrom: 2,
    ...needs(6, 10),
  },
];

const LOOP: readonly Omit<Scenario, 'group'>[] = [
  {
    name: 'tool-down',
    about: 'A tool fails for ever',
    ...lookup,
    toolsForever: { find_order: 'down' },
    isHopeless: true,
    ...needs(4, 10),
  },
  {
    name: 'model-repeats',
    about: 'The model asks for the same again and again',
    ...lookup,
    habit: 'repeats',
    isHopeless: true,
    ...needs(6),
  },
  {
    name: 'model-searches',
    about: 'A search that finds nothing new, with other words each time',
    task: 'search',
    habit: 'searches',
    toolsForever: { search: 'nothing' },
    isHopeless: true,
    ...needs(8),
  },
  {
    name: 'model-alternates',
    about: 'Two tools in turn, without an end',
    ...lookup,
    habit: 'alternates',
    isHopeless: true,
    ...needs(8),
  },
];

const EFFECT: readonly Omit<Scenario, 'group'>[] = [
  {
    name: 'refund-lost',
    about: 'The answer of the refund is lost after the act',
    ...refund,
    tools: { refund: ['lost'] },
    ...needs(4),
  },
  {
    name: 'mail-lost',
    about: 'The answer of the mail is lost after the act',
    ...refund,
    tools: { send_mail: ['lost'] },
    ...needs(4),
  },
  {
    name: 'both-lost',
    about: 'Both answers are lost',
    ...refund,
    tools: { refund: ['lost'], send_mail: ['lost'] },
    ...needs(4),
  },
  {
    name: 'refund-crash',
    about: 'The tool crashes between act and report',
    ...refund,
    tools: { refund: ['crash'] },
    ...needs(4),
  },
  {
    name: 'mail-crash',
    about: 'The mail crashes between act and report',
    ...refund,
    tools: { send_mail: ['crash'] },
    ...needs(4),
  },
  {
    name: 'refund-late',
    about: 'The refund is done, and its answer never comes',
    ...refund,
    tools: { refund: ['late'] },
    ...needs(4, 15),
  },
  {
    name: 'refund-lost-twice',
    about: 'The answer of the refund is lost twice',
    ...refund,
    tools: { refund: ['lost', 'lost'] },
    ...needs(4, 5),
  },
  {
    name: 'refund-twice',
    about: 'The model asks for the refund twice at once',
    ...refund,
    habit: 'twice',
    ...needs(4),
  },
  {
    name: 'refund-declined',
    about: 'The refund is declined, whatever one does',
    ...refund,
    toolsForever: { refund: 'declined' },
    isHopeless: true,
    ...needs(5),
  },
  {
    name: 'find-down-once',
    about: 'A tool that reads fails once',
    ...refund,
    tools: { find_order: ['down'] },
    ...needs(4, 5),
  },
  {
    name: 'find-reset',
    about: 'The connection to a tool that reads is reset',
    ...refund,
    tools: { find_order: ['reset'] },
    ...needs(4, 5),
  },
  {
    name: 'find-page',
    about: "A tool answers with a gateway's page",
    ...refund,
    tools: { find_order: ['page'] },
    ...needs(4, 5),
  },
  {
    name: 'refund-limited',
    about: 'A tool is limited, and says how long',
    ...refund,
    tools: { refund: ['limited'] },
    ...needs(4, 10),
  },
];

const CALM: readonly Omit<Scenario, 'group'>[] = [
  { name: 'question', about: 'A question without tools', task: 'question', ...needs(1) },
  { name: 'lookup', about: 'One tool', ...lookup, ...needs(2) },
  { name: 'refund', about: 'Three tools', ...refund, ...needs(4) },
  { name: 'search', about: 'A search', task: 'search', ...needs(2) },
  { name: 'parallel', about: 'Two tools at once', ...lookup, habit: 'parallel', ...needs(2) },
  {
    name: 'bytes',
    about: 'Answers that come one byte at a time',
    ...lookup,
    isByBytes: true,
    ...needs(2, 5),
  },
];

const inGroup = (group: Scenario['group'], rows: readonly Omit<Scenario, 'group'>[]): Scenario[] =>
  rows.map((row) => ({ ...row, group }));

export const SCENARIOS: readonly Scenario[] = [
  ...inGroup('wire', WIRE),
  ...inGroup('stream', STREAM),
  ...inGroup('answer', ANSWER),
  ...inGroup('conversation', CONVERSATION),
  ...inGroup('loop', LOOP),
  ...inGroup('effect', EFFECT),
  ...inGroup('calm', CALM),
];
