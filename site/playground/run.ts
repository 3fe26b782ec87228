// The playground's code: the real package, on a virtual clock, against a provider that answers as a script says.
import { AgentError, createPolicy, type HalfopenEvent, type PolicyOptions } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

/** The content that the page edits and its address carries. */
export interface Scenario {
  /** The options of the policy, as JSON. */
  options: string;
  /** One answer of the provider a line; the last one repeats. */
  provider: string;
  calls: number;
  /** Milliseconds between the beginnings of two calls. */
  everyMs: number;
}

export interface Line {
  atMs: number;
  call: number | undefined;
  text: string;
}

export interface Outcome {
  call: number;
  /** The result, or the code of the error. */
  result: string;
  /** The user's message, if the call failed. */
  message: string;
  endedAtMs: number;
}

export interface Run {
  lines: Line[];
  outcomes: Outcome[];
  requests: number;
  breaker: string;
}

interface Answer {
  status: number | 'reset' | 'hang';
  afterMs: number;
  retryAfterSeconds?: number;
}

/** A time range that ends all that may still wait: an hour. */
const END_MS = 3_600_000;
const DEFAULT_LATENCY_MS = 300;

/** Reads the provider's lines, such as `503`, `429 retry-after=5`, `ok after=2000`, `reset`, `hang`. */
export function readProvider(text: string): Answer[] {
  const answers = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line): Answer => {
      const [what = '', ...settings] = line.split(/\s+/);
      const given = new Map(settings.map((setting) => setting.split('=') as [string, string]));
      const status = what === 'ok' ? 200 : what === 'reset' || what === 'hang' ? what : Number(what);
      const numbers = [...given.values()].map(Number);
      const known = [...given.keys()].every((name) => name === 'after' || name === 'retry-after');
      const isStatus =
        typeof status === 'string' || (Number.isInteger(status) && status >= 200 && status < 600);
      if (!isStatus || !known || numbers.some((number) => !(number >= 0))) {
        throw new TypeError(
          `The provider's line "${line}" should be ok, a status such as 503, reset or hang, then after=<ms> or retry-after=<s>`,
        );
      }
      const retryAfter = given.get('retry-after');
      return {
        status,
        afterMs: Number(given.get('after') ?? DEFAULT_LATENCY_MS),
        ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
      };
    });
  if (answers.length === 0) throw new TypeError('The provider needs at least one line, such as ok');
  return answers;
}

function thrownBy({ status, retryAfterSeconds }: Answer): Error {
  if (status === 'reset')
    return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  const headers =
    retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } };
  return Object.assign(new Error(`${status} from the provider`), { status, ...headers });
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

/** Returns the text of an event's line in the timeline; `undefined` for events that add little. */
function textOf(event: HalfopenEvent): string | undefined {
  switch (event.type) {
    case 'attempt.started':
      return `attempt ${event.attempt} begins${event.probe ? ': the probe of the breaker' : ''}`;
    case 'attempt.failed':
      return `attempt ${event.attempt} fails: ${event.code} (rule ${event.rule})`;
    case 'retry.scheduled':
      return `waits ${seconds(event.delayMs)}${event.delaySource === 'retry-after' ? ', as the provider asks' : ''}`;
    case 'call.queued':
      return `waits for the ${event.by}`;
    case 'call.rejected':
      return `is refused by the ${event.by}: ${event.code}`;
    case 'call.failed':
      return `fails: ${event.code} (${event.why})`;
    case 'call.succeeded':
      return `succeeds after ${event.attempts} ${event.attempts === 1 ? 'attempt' : 'attempts'}`;
    case 'breaker.changed':
      return `the breaker goes from ${event.from} to ${event.to}: ${event.reason}`;
    default:
      return undefined;
  }
}

/** Runs a scenario. Throws for options or lines that are wrong, with a text for the page. */
export async function run(scenario: Scenario): Promise<Run> {
  const answers = readProvider(scenario.provider);
  const options = JSON.parse(scenario.options) as PolicyOptions;
  const start = Date.now();
  const clock = new VirtualClock(start);
  const lines: Line[] = [];
  const numbers = new Map<string, number>();
  const begun = clock.now();
  const policy = createPolicy({
    name: 'playground',
    provider: 'openai',
    seed: 1,
    ...options,
    clock,
    onEvent: (event) => {
      const id = event.call;
      if (id !== undefined && !numbers.has(id)) numbers.set(id, numbers.size + 1);
      const text = textOf(event);
      const call = id === undefined ? undefined : numbers.get(id);
      if (text !== undefined) lines.push({ atMs: clock.now() - begun, call, text });
    },
  });

  let requests = 0;
  const operation = ({ signal }: { signal: AbortSignal }) => {
    const answer = answers[Math.min(requests, answers.length - 1)] as Answer;
    requests++;
    return new Promise<string>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      if (answer.status === 'hang') return;
      clock.setTimeout(
        () => (answer.status === 200 ? resolve('ok') : reject(thrownBy(answer))),
        answer.afterMs,
      );
    });
  };

  const outcomes: Outcome[] = [];
  for (let call = 1; call <= scenario.calls; call++) {
    clock.setTimeout(
      () => {
        policy.execute(operation, { task: `call ${call}` }).then(
          (value) =>
            outcomes.push({ call, result: String(value), message: '', endedAtMs: clock.now() - begun }),
          (thrown: unknown) => {
            const error = AgentError.from(thrown);
            outcomes.push({
              call,
              result: error.code,
              message: error.userMessage('en'),
              endedAtMs: clock.now() - begun,
            });
          },
        );
      },
      (call - 1) * scenario.everyMs,
    );
  }
  await clock.advance(END_MS);
  const breaker = policy.stats().breaker ?? 'none';
  policy.dispose();
  await Promise.resolve();
  outcomes.sort((a, b) => a.call - b.call);
  return { lines, outcomes, requests, breaker };
}

/** A scenario as a part of an address, and back: base64url, because the site's theme looks a hash up as a selector. */
export function toHash(scenario: Scenario): string {
  const bytes = new TextEncoder().encode(JSON.stringify(scenario));
  return `#${btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')}`;
}

export function fromHash(hash: string): Scenario | undefined {
  try {
    const binary = atob(hash.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const given = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Scenario>;
    const { options, provider, calls, everyMs } = given;
    if (typeof options !== 'string' || typeof provider !== 'string') return undefined;
    if (!Number.isInteger(calls) || typeof everyMs !== 'number') return undefined;
    return {
      options,
      provider,
      calls: Math.min(Math.max(calls as number, 1), 100),
      everyMs: Math.max(everyMs, 0),
    };
  } catch {
    return undefined;
  }
}

const json = (options: PolicyOptions) => JSON.stringify(options, null, 2);

export const PRESETS: { name: string; scenario: Scenario }[] = [
  {
    name: 'A provider that is busy twice',
    scenario: {
      options: json({ retry: { maxRetries: 3 } }),
      provider: '503\n503\nok',
      calls: 1,
      everyMs: 0,
    },
  },
  {
    name: 'A rate limit with Retry-After',
    scenario: {
      options: json({ retry: { maxRetryAfterMs: 20_000 } }),
      provider: '429 retry-after=5\n429 retry-after=90\nok',
      calls: 2,
      everyMs: 10_000,
    },
  },
  {
    name: 'An outage, the breaker, and the way back',
    scenario: {
      options: json({ retry: { maxRetries: 1 }, breaker: { failureThreshold: 3, resetTimeoutMs: 10_000 } }),
      provider: '503\n503\n503\n503\n503\n503\nok',
      calls: 8,
      everyMs: 4000,
    },
  },
  {
    name: 'A provider that hangs',
    scenario: {
      options: json({ timeout: { attemptMs: 2000, totalMs: 10_000 }, retry: { maxRetries: 2 } }),
      provider: 'hang\nok after=1500',
      calls: 1,
      everyMs: 0,
    },
  },
  {
    name: 'A slow answer, and a hedge beside it',
    scenario: {
      options: json({ hedge: { afterMs: 2000 } }),
      provider: 'ok after=30000\nok after=800',
      calls: 1,
      everyMs: 0,
    },
  },
  {
    name: 'A wrong key, which is not retried',
    scenario: { options: json({}), provider: '401', calls: 1, everyMs: 0 },
  },
];
