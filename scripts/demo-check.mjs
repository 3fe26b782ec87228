// What the demo's log must show, law by law. Each check says what it looked for, and what was wrong if something was.

/** A law of the log: `wrong` is undefined when it holds. */
function law(what, look) {
  try {
    const wrong = look();
    return { what, wrong: wrong === undefined || wrong === true ? undefined : String(wrong) };
  } catch (error) {
    return { what, wrong: error.message };
  }
}

/** Throws with these words unless the condition holds. */
function must(condition, words) {
  if (!condition) throw new Error(words);
}

const of = (type) => (event) => event.type === type;

/** The waits of the log, each with the attempt that followed it. */
function waits(events) {
  return events.filter(of('retry.scheduled')).map((event) => {
    const next = events.find(
      (other) =>
        other.type === 'attempt.started' &&
        other.call === event.call &&
        other.time >= event.time &&
        other.attempt > event.attempt - 1 &&
        events.indexOf(other) > events.indexOf(event),
    );
    return { ...event, waited: next === undefined ? undefined : next.time - event.time };
  });
}

/** Everything that the log must show. */
export function checkEvents(events) {
  const hinted = waits(events).filter(({ source }) => source === 'retry-after');
  const backedOff = waits(events).filter(({ source }) => source === 'backoff');
  const changes = events.filter((event) => event.type === 'breaker.changed' && event.breaker === 'openai');
  const opened = changes.find(({ to }) => to === 'open');
  const halfOpened = changes.find(({ to }) => to === 'half_open');
  const closed = changes.find(({ to, from }) => to === 'closed' && from === 'half_open');
  const between = (from, to) => events.slice(events.indexOf(from), events.indexOf(to));

  return [
    law('hints are planned exactly: 1000 ms from retry-after, 350 ms from retry-after-ms', () => {
      const planned = hinted.map(({ delayMs }) => delayMs);
      must(planned.join() === '1000,350', `planned ${planned.join(', ')}`);
    }),
    law('no hint is cut short', () => {
      // Both times are whole milliseconds of the wall clock, so they may differ by one less.
      for (const { waited, delayMs } of hinted)
        must(waited >= delayMs - 1, `waited ${waited} of ${delayMs} ms`);
    }),
    law('backoff lies within its bounds, with jitter, and is not cut short', () => {
      must(backedOff.length >= 10, `only ${backedOff.length} waits`);
      for (const { delayMs, minMs, maxMs, waited } of backedOff) {
        must(minMs < maxMs, `no jitter in ${minMs} to ${maxMs} ms`);
        must(delayMs >= minMs && delayMs <= maxMs, `${delayMs} ms is outside of ${minMs} to ${maxMs}`);
        must(waited >= Math.floor(delayMs) - 1, `waited ${waited} of ${delayMs} ms`);
      }
      must(new Set(backedOff.map(({ delayMs }) => Math.round(delayMs))).size > 5, 'the delays are too alike');
    }),
    law('the breaker opens after five failed calls in a row', () => {
      must(opened !== undefined, 'it never opened');
      const started = new Map(events.filter(of('call.started')).map((event) => [event.call, event]));
      const ends = events.filter(
        (event) =>
          event.policy === 'openai' && (event.type === 'call.failed' || event.type === 'call.succeeded'),
      );
      // The call that opens it is told as failed right after the change.
      const index = events.indexOf(opened);
      const last = ends.findIndex((event) => event.call === opened.call || events.indexOf(event) > index);
      const five = ends.slice(last - 4, last + 1);
      must(
        five.length === 5 && five.every(of('call.failed')),
        `before it came ${five.map(({ type }) => type)}`,
      );
      must(
        five.every(
          ({ call, code }) => code === 'SERVER_ERROR' && /^chapter [1-5]$/.test(started.get(call)?.task),
        ),
        'others than the five chapters',
      );
      must(ends[last - 5] === undefined || ends[last - 5].code !== 'SERVER_ERROR', 'more than five');
    }),
    law('while it is open, OpenAI is not asked', () => {
      must(halfOpened !== undefined, 'it never became half open');
      const asked = between(opened, halfOpened).filter(
        (event) => event.type === 'attempt.started' && event.policy === 'openai',
      );
      must(asked.length === 0, `${asked.length} attempts`);
      const refused = between(opened, halfOpened).filter(
        (event) => event.type === 'call.rejected' && event.policy === 'openai',
      );
      must(
        refused.length === 2 && refused.every(({ code }) => code === 'CIRCUIT_OPEN'),
        `${refused.length} refusals`,
      );
    }),
    law('one probe goes out, the call beside it is refused, and the breaker closes', () => {
      must(closed !== undefined, 'it never closed');
      const around = events.slice(events.indexOf(halfOpened) - 1, events.indexOf(closed) + 3);
      const probes = events.filter((event) => event.type === 'attempt.started' && event.probe);
      must(probes.length === 1, `${probes.length} probes`);
      must(
        around.some((event) => event.type === 'call.rejected' && event.policy === 'openai'),
        'the other call went through',
      );
      must(
        changes.map(({ to }) => to).join() === 'open,half_open,closed',
        `it went ${changes.map(({ to }) => to)}`,
      );
    }),
    law('the fallback answers: for the key, the five chapters, and the refused calls', () => {
      const codes = events
        .filter((event) => event.type === 'fallback.used' && !event.failed)
        .map(({ code }) => code);
      const counted = (code) => codes.filter((one) => one === code).length;
      must(
        counted('AUTHENTICATION_ERROR') === 1 &&
          counted('SERVER_ERROR') === 5 &&
          counted('CIRCUIT_OPEN') === 3,
        codes.join(', '),
      );
    }),
    law('every trouble is told by its own code', () => {
      const codes = new Set(events.filter(of('attempt.failed')).map(({ code }) => code));
      for (const code of [
        'RATE_LIMITED',
        'PROVIDER_OVERLOADED',
        'SERVER_ERROR',
        'NETWORK_ERROR',
        'TIMEOUT',
        'AUTHENTICATION_ERROR',
        'CONTEXT_LENGTH_EXCEEDED',
      ]) {
        must(codes.has(code), `${code} is missing`);
      }
    }),
    law('the broken stream is started again', () => {
      must(
        events.some((event) => event.type === 'stream.broken' && event.action === 'restart'),
        'no stream.broken',
      );
    }),
    law('nothing was dropped on the way', () => {
      must(!events.some(of('events.dropped')), 'events.dropped');
      const seqs = events.map(({ seq }) => seq).sort((a, b) => a - b);
      must(
        seqs.every((seq, index) => seq === seqs[0] + index),
        'the numbers of the events have gaps',
      );
    }),
  ];
}

/** How many characters of a key in a row give it away. */
const PIECE = 6;

/** That no piece of a key's random part stands in any of the texts. */
export function checkSecrets(texts, keys) {
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
