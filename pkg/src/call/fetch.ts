/** `policy.fetch`: a `fetch` under a policy, for clients that take one. */

import * as engine from '../core/engine.js';
import { whenWords } from '../core/words.js';
import { failedAttempt } from '../event/records.js';
import type { Attempt } from './attempt.js';
import { type BodyReader, bodyReader } from './body-reader.js';
import { Call } from './call.js';
import { input as engineInput } from './engine-call.js';
import { Exchange, type Send } from './exchange.js';
import { misuseReport, readThrown } from './failures.js';
import type { CallHooks } from './hooks.js';
import type { CallHost, StepCode } from './host.js';
import { type BodyWatch, hasBody, watched } from './watched-body.js';

/** The global `fetch` as it is then: tests and instrumentations replace it. */
const globalSend: Send = (input, init) => globalThis.fetch(input, init);

/** A guarded `fetch`: rejects and resolves as `fetch` does, after the policy has done what it can. */
export function guardedFetch(host: CallHost, send: Send = globalSend): typeof fetch {
  return async (input, init) => {
    const exchange = new Exchange(input, init, send, host.time, 'headers');
    const guarded = new GuardedFetch(host, exchange);
    try {
      return guarded.watched(await guarded.start());
    } catch (error) {
      return exchange.endWith(error);
    }
  };
}

/** A response whose body is on its way, as the breaker knows it. */
interface OpenBody {
  readonly breaker: number;
  readonly answer: number;
  readonly instance: number;
  /** When the response came, on the policy's clock. */
  readonly at: number;
}

/** One call of a guarded `fetch`. A body that breaks off later is a failure of the attempt that brought it. */
class GuardedFetch implements BodyWatch, CallHooks<Response> {
  readonly refusesFallback = true;
  private readonly call: Call<Response>;
  private readonly exchange: Exchange;
  private body: OpenBody | undefined = undefined;
  /** The attempt that brought it. */
  private winner: Attempt | undefined = undefined;
  /** Reads what it says of tokens, where somebody listens. */
  private reader: BodyReader | undefined = undefined;
  private chunks = 0;
  private bytes = 0;

  constructor(host: CallHost, exchange: Exchange) {
    this.call = new Call(host, (attempt) => exchange.send(attempt), exchange.options, this);
    this.exchange = exchange;
  }

  start(): Promise<Response> {
    return this.call.start();
  }

  /** The response as the client gets it. */
  watched(response: Response): Response {
    const watches = this.body !== undefined || this.call.host.isObserved;
    return watches && hasBody(response) ? watched(response, this) : response;
  }

  passes(chunk: Uint8Array): void {
    this.chunks++;
    this.bytes += chunk.byteLength;
    this.reader?.read(chunk);
  }

  left(): void {
    this.used();
  }

  completed(): void {
    this.used();
    this.endBody(engine.COMPLETED);
  }

  /** Records the token counts of the body: its attempt was over with the headers. */
  private used(): void {
    const { call, reader, winner } = this;
    this.reader = undefined;
    if (reader === undefined || winner === undefined) return;
    reader.end();
    const { usage } = winner.facts ?? {};
    if (usage === undefined) return;
    const { attempt } = winner;
    const { chunks, bytes: characters } = this;
    call.host.emit(call, { type: 'stream.chunk', attempt, chunks, characters, usage });
  }

  /** The promise was kept long ago; the attempt failed all the same, and the breaker counts that, once. */
  brokeOff(thrown: unknown, received: number): void {
    this.used();
    if (!this.exchange.caller?.aborted) whenWords(() => this.failedLater(thrown, received));
  }

  private failedLater(thrown: unknown, received: number): void {
    const { call, body } = this;
    const attempt = this.winner?.attempt ?? 0;
    const { host, settings } = call;
    const failure = readThrown(call, thrown);
    const { error } = failure;
    if (error.code === 'CANCELLED') return;
    const counted = isKnown(body) && settings.countsAsFailure(error, misuseReport(settings));
    const durationMs = body === undefined ? 0 : host.time.now() - body.at;
    host.emit(call, { type: 'stream.broken', attempt, received, action: 'fail' });
    host.emit(call, failedAttempt(failure, { attempt, durationMs, counted }));
    if (counted) this.endBody(engine.BROKEN_OFF);
  }

  /** A success, and to be taken back if the body breaks off. */
  reportSuccess(attempt: Attempt, response: Response): StepCode | undefined {
    const { call } = this;
    const { startedAt } = attempt;
    this.winner = attempt;
    this.exchange.failing.end();
    if (call.host.isObserved && hasBody(response)) {
      const type = response.headers.get('content-type') ?? '';
      this.reader = bodyReader(type, (answer) => attempt.noteResponse(answer));
    }
    const { breaker } = call.settings;
    if (breaker === undefined || !hasBody(response)) return undefined;
    return engineInput(call, (policy, handle, at) => {
      const tookMs = call.host.isTimed ? at - startedAt : Number.NaN;
      const code = engine.attemptAnswered(policy, handle, at, tookMs);
      const answer = engine.answerBegun();
      if (!Number.isNaN(answer)) {
        this.body = { breaker: breaker.handle, answer, instance: engine.core.instanceNumber, at };
      }
      return code;
    });
  }

  /** Reports once to the breaker how the body ended. */
  private endBody(outcome: number): void {
    const { body, call } = this;
    this.body = undefined;
    if (!isKnown(body)) return;
    const now = call.host.time.now();
    const ageMs = Math.floor(now - body.at);
    try {
      if (engine.breakerEnd(body.breaker, body.answer, outcome, ageMs, now)) {
        call.host.follow(engine.EVENTS, call);
      }
    } catch (error) {
      call.host.coreFailed(error);
    }
  }
}

/** Returns `true` if the core still knows the body: after a trap it has another breaker. */
function isKnown(body: OpenBody | undefined): body is OpenBody {
  return body?.instance === engine.core.instanceNumber;
}
