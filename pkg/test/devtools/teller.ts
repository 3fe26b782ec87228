// The two ends of a connection, for tests: a source of events, and servers that respond as a test wants.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { HalfopenEvent } from '../../src/event/events.js';

/** A policy as the connection sees it: a source of events. */
export class Teller {
  readonly #listeners = new Set<(event: HalfopenEvent) => void>();
  #seq = 0;
  constructor(readonly source = 'agent-1') {}

  onEvent(listener: (event: HalfopenEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  tell(count = 1, more: Record<string, unknown> = {}): void {
    for (let told = 0; told < count; told += 1) {
      this.#seq += 1;
      const event = {
        v: 1,
        source: this.source,
        seq: this.#seq,
        time: Date.now(),
        policy: 'openai',
        call: `c-${this.#seq}`,
        type: 'attempt.failed',
        attempt: 1,
        durationMs: 12.5,
        code: 'RATE_LIMITED',
        severity: 'retriable',
        retryable: true,
        rule: 'http.429',
        technicalDetails: '429 Too Many Requests: Rate limit reached for requests per minute',
        signals: { status: 429, errorType: 'requests' },
        counted: true,
        statusCode: 429,
        ...more,
      } as unknown as HalfopenEvent;
      for (const listener of this.#listeners) listener(event);
    }
  }
}

/** A server that answers as told, on a port of its own or on `port`. */
export async function answering(
  t: TestContext,
  handler: Parameters<typeof createServer>[1],
  port = 0,
): Promise<string> {
  const server: Server = createServer(handler as never);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
