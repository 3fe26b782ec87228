/** A provider on a port of this machine, which serves and fails as a scenario says. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentErrorCode } from '../../codes.js';
import type { Distribution, ProviderLimit, Scenario } from '../scenario.js';
import { Faults } from './faults.js';

/** How often the queue is checked: servers come back, and pauses end, without a request. */
const LOOK_MS = 20;

/** The response to a failed request. */
export interface Refusal {
  code: AgentErrorCode;
  retryAfterMs?: number | undefined;
}

/** A request that has come, and whether its caller is still there. */
interface Job {
  readonly response: ServerResponse;
  isLeft: boolean;
}

/** One provider; `close` ends it. */
export class RealProvider {
  /** The time that servers spent on requests whose caller had left, in milliseconds. */
  wastedServiceMs = 0;
  private readonly server: Server;
  private readonly faults: Faults;
  private readonly queue: Job[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly look: NodeJS.Timeout;
  private busy = 0;
  private readonly quotas: readonly Quota[];

  /** `now` gives the milliseconds since the run began. */
  constructor(
    private readonly scenario: Scenario,
    private readonly now: () => number,
  ) {
    this.faults = new Faults(scenario);
    const { provider, cost } = scenario;
    this.quotas = [
      new Quota(provider.rateLimit, 1),
      new Quota(provider.tokenLimit, cost?.tokensPerAttempt ?? 0),
    ];
    this.server = createServer((request, response) => this.take(request, response));
    this.server.keepAliveTimeout = 120_000;
    this.look = setInterval(() => this.pump(), LOOK_MS);
  }

  /** Listens; returns its URL. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** How many requests wait. */
  get queued(): number {
    return this.queue.length;
  }

  close(): void {
    clearInterval(this.look);
    for (const timer of this.timers) clearTimeout(timer);
    this.server.closeAllConnections();
    this.server.close();
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const now = this.now();
    if (this.faults.at('outage', now).length > 0) {
      request.socket.destroy();
      return;
    }
    if (this.faults.at('blackhole', now).length > 0) return;
    const refusal = this.refusal(now);
    if (refusal !== undefined) {
      this.after(refusal.latencyMs, () => refuse(response, refusal));
      return;
    }
    const { queue = 'unbounded', servers } = this.scenario.provider;
    const job: Job = { response, isLeft: false };
    response.on('close', () => {
      job.isLeft = !response.writableFinished;
    });
    if (queue !== 'unbounded' && this.busy >= servers && this.queue.length >= queue) {
      refuse(response, { code: 'PROVIDER_OVERLOADED' });
      return;
    }
    this.queue.push(job);
    this.pump();
  }

  /** Returns the provider's refusal of a request, if it refuses it. */
  private refusal(now: number): (Refusal & { latencyMs: number }) | undefined {
    const { errors = [] } = this.scenario.provider;
    const refusals = this.quotas.flatMap((quota) => quota.refusal(now) ?? []);
    if (refusals.length > 0) {
      const hints = refusals.flatMap(({ hint }) => hint ?? []);
      const retryAfterMs = hints.length > 0 ? Math.max(...hints) : undefined;
      return { code: 'RATE_LIMITED', retryAfterMs, latencyMs: 0 };
    }
    for (const quota of this.quotas) quota.take();
    for (const error of [...this.faults.at('errors', now), ...errors]) {
      if (Math.random() < error.rate)
        return { ...error, latencyMs: 'latencyMs' in error ? (error.latencyMs ?? 0) : 0 };
    }
    return undefined;
  }

  /** Begins with what waits, as far as there are servers. */
  private pump(): void {
    const now = this.now();
    if (this.faults.at('pause', now).length > 0) return;
    const servers = Math.max(
      0,
      Math.floor(this.scenario.provider.servers * this.faults.factor('capacity', now)),
    );
    while (this.busy < servers) {
      const job = this.queue.shift();
      if (job === undefined) return;
      if (job.isLeft && this.scenario.provider.abandons === true) continue;
      this.serve(job, now);
    }
  }

  private serve(job: Job, now: number): void {
    const takes = drawn(this.scenario.provider.service) * this.faults.factor('slow', now);
    this.busy += 1;
    this.after(this.faults.done(now, takes) - now, () => {
      this.busy -= 1;
      if (job.isLeft) this.wastedServiceMs += takes;
      else job.response.end('{"text":"ok"}');
      this.pump();
    });
  }

  private after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, ms);
    this.timers.add(timer);
  }
}

/** A limit of the provider, if there is one, and its use in the present span. */
class Quota {
  private span = -1;
  private taken = 0;

  /** A request takes `takes` of it. */
  constructor(
    private readonly limit: ProviderLimit | undefined,
    private readonly takes: number,
  ) {}

  /** Returns a refusal if there is no room for a request, with the wait that the provider states, if any. */
  refusal(now: number): { hint: number | undefined } | undefined {
    if (this.limit === undefined) return undefined;
    const { limit, windowMs, retryAfter = 'exact' } = this.limit;
    const span = Math.floor(now / windowMs);
    if (span !== this.span) [this.span, this.taken] = [span, 0];
    if (this.taken + this.takes <= limit) return undefined;
    const left = (span + 1) * windowMs - now;
    return { hint: { exact: left, seconds: Math.ceil(left / 1000) * 1000, none: undefined }[retryAfter] };
  }

  take(): void {
    this.taken += this.takes;
  }
}

function refuse(response: ServerResponse, { code, retryAfterMs }: Refusal): void {
  response.writeHead(503, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ code, retryAfterMs } satisfies Refusal));
}

/** A duration of a distribution, in milliseconds. */
export function drawn(distribution: Distribution): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.mean;
    case 'exponential':
      return -Math.log(1 - Math.random()) * distribution.mean;
    case 'lognormal':
      return distribution.median * Math.exp(distribution.sigma * normal());
    case 'empirical':
      return distribution.values[Math.floor(Math.random() * distribution.values.length)] ?? 0;
  }
}

/** Box and Muller, 1958. */
function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}
