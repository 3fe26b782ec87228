// The laws for the agent's log, one by one. Each check names its condition, and the fault if it finds one.

import type { AgentErrorCode, HalfopenEvent } from 'halfopen';

/** A law, and what broke it; `wrong` is undefined when it holds. */
export interface Finding {
  what: string;
  wrong?: string | undefined;
}

function law(what: string, look: () => void): Finding {
  try {
    look();
    return { what };
  } catch (error) {
    return { what, wrong: (error as Error).message };
  }
}

/** Throws with these words unless the condition holds. */
function must(condition: boolean, words: string): asserts condition {
  if (!condition) throw new Error(words);
}

type Of<T extends HalfopenEvent['type']> = Extract<HalfopenEvent, { type: T }>;

/** Narrows events to one type. */
const of =
  <T extends HalfopenEvent['type']>(type: T) =>
  (event: HalfopenEvent): event is Of<T> =>
    event.type === type;

/** The waits of the log, each with when the next attempt began. */
function waits(events: readonly HalfopenEvent[]): (Of<'retry.scheduled'> & { begun: number })[] {
  return events.flatMap((event, index) => {
    if (event.type !== 'retry.scheduled') return [];
    const next = events
      .slice(index)
      .find((other) => other.type === 'attempt.started' && other.call === event.call);
    return [{ ...event, begun: next?.time ?? Number.NaN }];
  });
}

/** That a wait ended when it was due, which is `delayMs` after it was decided, and not before. */
function notCutShort({ delayMs, dueAt, time, begun }: ReturnType<typeof waits>[number]): void {
  // An event's time is that of its emission, some milliseconds after the decision on a busy machine.
  must(
    dueAt <= time + delayMs + 1 && dueAt > time + delayMs - 1_000,
    `due ${dueAt - time} ms later, not ${delayMs}`,
  );
  // Times are whole milliseconds of the wall clock, so they may differ by one less.
  must(begun >= dueAt - 1, `cut short by ${dueAt - begun} of ${delayMs} ms`);
}

/** The changes of the breaker of the policy `openai`, each as it must have come. */
function breakerOf(events: readonly HalfopenEvent[]) {
  const changes = events.filter(of('breaker.changed')).filter(({ breaker }) => breaker === 'openai');
  const ways = changes.map(({ to }) => to).join(', ');
  const [opened, halfOpened, closed] = changes;
  must(
    ways === 'open, half_open, closed' && !!opened && !!halfOpened && !!closed,
    `it went ${ways || 'nowhere'}`,
  );
  return {
    opened,
    halfOpened,
    closed,
    between: events.slice(events.indexOf(opened), events.indexOf(closed) + 1),
  };
}

/** Everything that the log must show. */
export function checkEvents(events: readonly HalfopenEvent[]): Finding[] {
  const hinted = waits(events).filter(({ delaySource }) => delaySource === 'retry-after');
  const backedOff = waits(events).filter(({ delaySource }) => delaySource === 'backoff');
  const openai = events.filter(({ policy }) => policy === 'openai');

  return [
    law('a run that is lost is steered, refused and concluded; one that only looks so gets no advice', () => {
      const adviceOf = (name: string) => {
        const run = events.filter(of('run.started')).find((event) => event.name === name)?.run;
        const advice = events.filter(of('run.advised')).filter((event) => event.run === run);
        const end = events.filter(of('run.ended')).find((event) => event.run === run)?.end;
        return [...advice.map((event) => event.advice), end ?? 'without an end'].join();
      };
      const [lost, busy] = [adviceOf('research'), adviceOf('print')];
      must(lost === 'steer,refuse,conclude,completed', `the lost one went ${lost}`);
      must(busy === 'completed', `the other one went ${busy}`);
    }),
    law('hints are planned exactly: 1000 ms from retry-after, 350 ms from retry-after-ms', () => {
      const planned = hinted.map(({ delayMs }) => delayMs).join();
      must(planned === '1000,350', `planned ${planned}`);
    }),
    law('no hint is cut short', () => {
      for (const wait of hinted) notCutShort(wait);
    }),
    law('backoff lies within its bounds, with jitter, and is not cut short', () => {
      must(backedOff.length >= 10, `only ${backedOff.length} waits`);
      for (const wait of backedOff) {
        const { delayMs, minMs, maxMs } = wait;
        must(minMs < maxMs, `no jitter in ${minMs} to ${maxMs} ms`);
        must(delayMs >= minMs && delayMs <= maxMs, `${delayMs} ms is outside of ${minMs} to ${maxMs}`);
        notCutShort(wait);
      }
      must(new Set(backedOff.map(({ delayMs }) => Math.round(delayMs))).size > 5, 'the delays are too alike');
    }),
    law('the breaker opens after five failed calls in a row', () => {
      const { opened } = breakerOf(events);
      const task = new Map(events.filter(of('call.started')).map((event) => [event.call, event.task]));
      const ends = openai.filter((event) => event.type === 'call.failed' || event.type === 'call.succeeded');
      // The call that opens it is reported as failed right after the change.
      const last = ends.findIndex((event) => openai.indexOf(event) > openai.indexOf(opened));
      const failed = ends
        .slice(0, last + 1)
        .filter(of('call.failed'))
        .filter(({ code }) => code === 'SERVER_ERROR');
      const tasks = failed.map(({ call }) => task.get(call)).join();
      must(tasks === 'chapter 1,chapter 2,chapter 3,chapter 4,chapter 5', `after ${tasks}`);
      must(ends.slice(last - 4, last + 1).every(of('call.failed')), 'one between them succeeded');
    }),
    law('an open breaker sends no request to OpenAI', () => {
      const { between, halfOpened } = breakerOf(events);
      const meanwhile = between
        .slice(0, between.indexOf(halfOpened))
        .filter(({ policy }) => policy === 'openai');
      const asked = meanwhile.filter(of('attempt.started')).length;
      must(asked === 0, `${asked} attempts`);
      const refused = meanwhile.filter(of('call.rejected')).map(({ code }) => code);
      must(refused.join() === 'CIRCUIT_OPEN,CIRCUIT_OPEN', `refused: ${refused}`);
    }),
    law('one probe goes out, the call beside it is refused, and the breaker closes', () => {
      const { between, halfOpened } = breakerOf(events);
      const probing = between.slice(between.indexOf(halfOpened)).filter(({ policy }) => policy === 'openai');
      const attempts = probing.filter(of('attempt.started'));
      must(attempts.length === 1 && attempts[0]?.probe === true, `${attempts.length} attempts`);
      must(probing.filter(of('call.rejected')).length === 1, 'the other call was not refused');
      must(events.filter(of('attempt.started')).filter(({ probe }) => probe).length === 1, 'another probe');
    }),
    law('the fallback answers: for the key, the five chapters, and the refused calls', () => {
      const answered = events.filter(of('fallback.used')).filter(({ failed }) => failed !== true);
      const counted = (code: AgentErrorCode) => answered.filter((event) => event.code === code).length;
      const counts = [counted('AUTHENTICATION_ERROR'), counted('SERVER_ERROR'), counted('CIRCUIT_OPEN')];
      must(counts.join() === '1,5,3', counts.join());
    }),
    law('every failure has its own code', () => {
      const told = new Set(events.filter(of('attempt.failed')).map(({ code }) => code));
      const missing = TROUBLES_BY_CODE.filter((code) => !told.has(code));
      must(missing.length === 0, `${missing.join(', ')} missing`);
    }),
    law('the broken stream is started again', () => {
      must(
        events.filter(of('stream.broken')).some(({ action }) => action === 'restart'),
        'no stream.broken',
      );
    }),
    law('nothing was dropped on the way', () => {
      must(!events.some(of('events.dropped')), 'events.dropped');
      const seqs = events.map(({ seq }) => seq).sort((a, b) => a - b);
      must(
        seqs.every((seq, index) => seq === (seqs[0] ?? 0) + index),
        'the numbers of the events have gaps',
      );
    }),
  ];
}

const TROUBLES_BY_CODE: readonly AgentErrorCode[] = [
  'RATE_LIMITED',
  'PROVIDER_OVERLOADED',
  'SERVER_ERROR',
  'NETWORK_ERROR',
  'TIMEOUT',
  'AUTHENTICATION_ERROR',
  'CONTEXT_LENGTH_EXCEEDED',
];

/** How many characters of a key in a row give it away. */
const PIECE = 6;

/** Checks that no piece of a key's random part is in any of the texts. */
export function checkSecrets(texts: Readonly<Record<string, string>>, keys: readonly string[]): Finding[] {
  return Object.entries(texts).map(([where, text]) =>
    law(`no piece of a key in ${where}`, () => {
      must(text.length > 1_000, `only ${text.length} characters were looked at`);
      for (const key of keys) {
        const random = key.replace(/^sk-(proj|ant-api03)-/, '');
        for (let start = 0; start + PIECE <= random.length; start += 1) {
          must(!text.includes(random.slice(start, start + PIECE)), 'there is one');
        }
      }
    }),
  );
}
