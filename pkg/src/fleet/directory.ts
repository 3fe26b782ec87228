/** The names of a fleet's policies, so that an operator can list them. */

import type { Time } from '../clock.js';
import { listable } from './keys.js';
import { deltaOf, REPORT, randomNode } from './protocol.js';
import type { Resource } from './sync.js';

/** A name is listed for a day and renewed this often, in milliseconds. */
const AGAIN_MS = 3_600_000;

export class Directory implements Resource {
  readonly key: string;
  private readonly time: Time;
  private readonly names = new Set<string>();
  private readonly node = randomNode();
  private number = 0;
  private saidAt = Number.NEGATIVE_INFINITY;
  private said = 0;

  constructor(key: string, time: Time) {
    this.key = key;
    this.time = time;
  }

  list(name: string): void {
    this.names.add(listable(name));
  }

  delta(): Uint8Array | undefined {
    const isSaid = this.said === this.names.size && this.time.now() < this.saidAt + AGAIN_MS;
    if (isSaid) return undefined;
    this.number++;
    this.said = this.names.size;
    this.saidAt = this.time.now();
    return deltaOf({ kind: REPORT, node: this.node, number: this.number }, [], [...this.names]);
  }

  take(): number {
    return Number.POSITIVE_INFINITY;
  }

  lost(): void {
    this.saidAt = Number.NEGATIVE_INFINITY;
  }
}
