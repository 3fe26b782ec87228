/** The score of a run: five marks, each from 0 to 1, and their total from 0 to 100. */
import { TASKS } from './model.js';
import type { Scenario } from './scenarios.js';
import type { RecordedRequest } from './server.js';
import type { Effect } from './tools.js';

/** What an agent left behind. */
export interface Output {
  /** The text that the user reads: standard output. */
  text: string;
  /** `null` if it was ended from outside, because it ran too long. */
  exitCode: number | null;
  /** How long it ran, in milliseconds. */
  ms: number;
}

/** Five marks from 0 to 1, and the total from 0 to 100. */
export interface Score {
  /**
   * 1 if the task is done, or if no agent can do it and the user reads honestly that it is not. If the best agent would have
   * done it, an honest text earns a half; one with the receipt also earns by the share of the effects that happened, if it says of
   * each other one that it failed.
   */
  readonly done: number;
  /** 1 if no effect was carried out twice; 0 otherwise. */
  readonly once: number;
  /** The share of requests, tokens and seconds that the best agent needs as well; their mean. */
  readonly waste: number;
  /** 1 if it ended by itself, within its limits. */
  readonly ended: number;
  /** 1 if the user reads no stack trace, no key and no words of a provider. */
  readonly clean: number;
  /** All marks by their weights, from 0 to 100. */
  readonly total: number;
  /** Why a mark is not full, a sentence each. */
  readonly why: readonly string[];
}

const WEIGHTS = { done: 40, once: 20, waste: 15, ended: 15, clean: 10 } as const;
/** Requests to models after which an agent counts as one that does not end. */
const MOST_REQUESTS = 40;
const TOKENS_A_REQUEST = 1500;
/** Milliseconds of its own that an agent may work for each request: `speed` does not shorten them, so they are no waste. */
const WORK_MS = 250;

/** Words of people who say that something did not work. "Nothing failed" is not one of them. */
const FAILED =
  /(?<!\b(?:nothing|never|not|no|without(?: an?)?) )\b(?:could ?n[o'’]t|can ?n[o'’]t|unable|(?:not|never|\w+n['’]t) (?:yet )?(?:been )?(?:allowed|valid|done|completed|finished|possible|available|able|complete|sent)|failed|failure|unavailable|went wrong|gave up|stopped|cancelled|too long|already exists|declined|refused|no longer|did ?n[o'’]t(?! fail)|without (?:a )?result)\b/i;
/** The words for an effect. */
const EFFECTS: Readonly<Record<string, string>> = {
  refund: 'refund',
  send_mail: '(?:e-?)?mail|message|confirmation|notif(?:y|ied|ying)|inform(?:ed|ing)?\\b|\\S@\\S',
};
/** A part of a sentence that begins so belongs to the one before: "I tried to send the mail, but it failed". */
const GOES_ON = '(?!\\W*(?:(?:and|but|then|so) )*(?:it|this|which|n?or|send|make|notify|inform)\\b)';
/** The dot in an address or an amount ends no sentence. */
const SENTENCE_END = new RegExp(`[.!?;](?:\\s|$)${GOES_ON}`, 'i');
const CLAUSE_END = new RegExp(
  `(?:[,:()\\n–—]|\\s-\\s|\\b(?:and|but|then|after|before|because|when|once|while|although|though|however|despite|so)\\b)${GOES_ON}`,
  'i',
);
/** A part without such a word is the beginning of the next one: "the refund and the mail | were done". */
const PREDICATE = new RegExp(
  `${FAILED.source}|\\b(?:is|are|was|were|been|sent|done|made|worked|succeeded)\\b`,
  'i',
);
/** Words that say that it happened in the end. "I could not confirm that the mail was sent" does not. */
const DONE =
  /(?<!\b(?:that the|whether|if|saying)\b.*)\b(?:(?:is|are|was|were|has been|have been) (?:(?!not |never )\w+ )?(?:sent|done|made)|worked|succeeded|at first|initially)\b/i;

function* clausesOf(text: string): Generator<string> {
  for (const sentence of text.split(SENTENCE_END)) {
    let clause = '';
    for (const part of sentence.split(CLAUSE_END)) {
      clause += ` ${part}`;
      if (!PREDICATE.test(part)) continue;
      yield clause;
      clause = '';
    }
  }
}

/** Returns whether a clause says of an effect that it failed. "The card was declined at first, but the mail is sent" does not. */
function admits(text: string, effect: string): boolean {
  const name = new RegExp(EFFECTS[effect] ?? effect, 'i');
  return [...clausesOf(text)].some(
    (clause) => name.test(clause) && FAILED.test(clause) && !DONE.test(clause),
  );
}

/** Words that say so if nothing is claimed. Beside a receipt, "sorry about the damage" says nothing of the task. */
const HONEST = new RegExp(`${FAILED.source}|\\b(?:try (?:it )?again|sorry|limit|problem|error)\\b`, 'i');

/** What no user should read. */
const RAW: readonly (readonly [RegExp, string])[] = [
  [/^\s*at .+\(?.+:\d+:\d+\)?$/m, 'a stack trace'],
  [/Traceback \(most recent call last\)/, 'a stack trace'],
  [/\bsk-rehearse[\w-]*|AIza-rehearse[\w-]*/, 'a key'],
  [
    /"type":\s*"error"|"error":\s*\{|invalid_request_error|rate_limit_exceeded|insufficient_quota|overloaded_error|RESOURCE_EXHAUSTED|\b[45]\d\d (?:status code|\{|[A-Z][a-z]+ )|\bE?CONNRESET\b|<html|\b[A-Z]\w+Error\b|\[object Object\]|\bundefined\b/,
    'raw text of a provider or of code',
  ],
];

export function scoreOf(
  scenario: Scenario,
  requests: readonly RecordedRequest[],
  effects: readonly Effect[],
  { text, exitCode, ms }: Output,
  speed: number,
): Score {
  const why: string[] = [];
  const task = TASKS[scenario.task];
  const models = requests.filter(({ wire }) => wire !== 'tool' && wire !== 'mcp' && wire !== 'none');
  const wanted = task.plan.filter((name) => name === 'refund' || name === 'send_mail');
  const claims = text.includes(task.proof);
  const counts = new Map<string, number>();
  for (const { tool } of effects) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const happened = wanted.filter((name) => counts.has(name));
  const isDone = claims && happened.length === wanted.length;
  // A report that names the receipt although a part is missing is honest if it says so: "… but I could not send the mail".
  const isHonest = claims
    ? wanted.every((name) => counts.has(name) || admits(text, name))
    : text.trim() !== '' && (HONEST.test(text) || RAW.some(([raw]) => raw.test(text)));
  const reported = claims && wanted.length > 0 ? happened.length / wanted.length : 0;
  const done = isDone ? 1 : isHonest ? (scenario.isHopeless ? 1 : 0.5 + reported / 2) : 0;
  if (!isDone && !isHonest)
    why.push(
      text.trim() === ''
        ? 'The user read nothing.'
        : 'The task is not done, and the user does not read that.',
    );
  else if (done < 1)
    why.push(
      reported > 0
        ? `The user read that a part of the task is done (${happened.join(', ')}); the best agent does all of it.`
        : 'The user read that the task failed; the best agent does it.',
    );

  const repeats = [...counts].filter(([, count]) => count > 1);
  for (const [name, count] of repeats) why.push(`${name} was carried out ${count} times.`);

  const tokens = models.reduce((sum, request) => sum + request.tokens, 0);
  const { best } = scenario;
  // From the first request to the end of the last one: the start of a process is no waste either.
  const end = requests.reduce((latest, request) => Math.max(latest, request.at + request.ms), 0);
  const span = Math.min(ms, end - (requests[0]?.at ?? end));
  const seconds = (Math.max(0, span - requests.length * WORK_MS) / 1000) * speed;
  const shares = {
    requests: share(best.requests, models.length),
    tokens: share(best.requests * TOKENS_A_REQUEST + (scenario.contextTokens ?? 0) * 2, tokens),
    seconds: share(best.seconds + 5, seconds),
  };
  // An agent that requests nothing wastes nothing, and does nothing either.
  const waste = done === 0 ? 0 : (shares.requests + shares.tokens + shares.seconds) / 3;
  if (shares.requests < 1)
    why.push(`${models.length} requests to models; the best agent needs ${best.requests}.`);
  if (shares.tokens < 1) why.push(`${tokens} tokens, more than the best agent needs.`);
  if (shares.seconds < 1)
    why.push(`${seconds.toFixed(0)} s of the provider's time; the best agent needs ${best.seconds}.`);

  const isEnded = exitCode !== null && models.length <= MOST_REQUESTS;
  if (!isEnded) why.push(exitCode === null ? 'It did not end.' : `It sent ${models.length} requests.`);
  const raw = RAW.filter(([pattern]) => pattern.test(text)).map(([, what]) => what);
  for (const what of new Set(raw)) why.push(`The user read ${what}.`);

  const marks = {
    done,
    once: repeats.length > 0 ? 0 : 1,
    waste,
    ended: isEnded ? 1 : 0,
    clean: raw.length > 0 || text.trim() === '' ? 0 : 1,
  };
  const total = (Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]).reduce(
    (sum, mark) => sum + WEIGHTS[mark] * marks[mark],
    0,
  );
  return { ...marks, total: Math.round(total * 10) / 10, why };
}

const share = (best: number, actual: number) => Math.min(1, best / Math.max(best, actual, 1e-9));
