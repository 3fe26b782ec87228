/** The module `diagnose` (web/diagnose): the dashboard's checks and views of a log, for Node. */

import { randomInt } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { read } from '../entry/read.js';

/** The functions of the module. It imports nothing. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  seed(random: number): void;
  room(length: number): number;
  take(): void;
  query(): number;
  answer(): number;
}

/** Something that a setting can mend, as the page's card has it. */
export interface Finding {
  /** The check's id: docs/dashboard.md lists them. */
  readonly check: string;
  readonly grade: Grade;
  readonly policy: string;
  readonly title: string;
  readonly what: string;
  readonly fix: string;
  /** `now` is `null` if the log does not have the policy's options. */
  readonly settings: readonly { path: string; now: string | null; to: string }[];
  /** The log does not have what a setting is now. */
  readonly lacksOptions: boolean;
  /** The fix as code; empty without one. */
  readonly code: string;
  /** Where to look, the most telling first. */
  readonly evidence: readonly Evidence[];
}

/** `harm`: users are worse off by it. `risk`: it will hurt on a bad day. `note`: it could be better. */
export type Grade = 'harm' | 'risk' | 'note';

/** A place in the log. */
interface Evidence {
  readonly kind: 'call' | 'run' | 'breaker' | 'group';
  /** As the page names it. */
  readonly text: string;
  /** Of a call or a run; absent if the log has dropped it. */
  readonly id?: string;
  /** When it began, in ISO 8601. */
  readonly at?: string;
  /** A call in one sentence. */
  readonly says?: string;
  /** Of a breaker. */
  readonly name?: string;
  /** Of a group of failures: their code, and the rule that decided it. */
  readonly code?: string;
  readonly rule?: string;
}

/** The contents of a log. */
export interface LogSummary {
  readonly events: number;
  readonly calls: number;
  readonly runs: number;
  readonly processes: number;
  /** The times of the first and of the last event, in ISO 8601; `null` without events. */
  readonly from: string | null;
  readonly to: string | null;
  /** Lines that are no events, lines that end in their middle, and the last reasons. */
  readonly rejected: number;
  readonly torn: number;
  readonly reasons: readonly string[];
}

/** The number of characters of the log that cross at once. */
const CHUNK = 256 * 1024;

let compiled: WebAssembly.Module | undefined;

/** A log in an instance of the module. */
export class Diagnosis {
  private readonly core: Exports;
  private lines: string[] = [];
  private length = 0;

  constructor() {
    compiled ??= new WebAssembly.Module(
      brotliDecompressSync(read(new URL('../embedded/diagnose.wasm.br', import.meta.url))),
    );
    this.core = new WebAssembly.Instance(compiled).exports as unknown as Exports;
    this.core.seed(randomInt(2 ** 47) / 2 ** 47);
  }

  /** Takes a line of the log, without its end. */
  take(line: string): void {
    this.lines.push(line);
    this.length += line.length;
    if (this.length >= CHUNK) this.flush();
  }

  /**
   * Answers a question, as web/diagnose/src/lib.rs lists them.
   *
   * @throws Error if the log has no such call, run or policy, or a filter cannot be read: it says what was expected.
   */
  query<T>(query: string, options: object = {}): T {
    this.flush();
    this.write(JSON.stringify({ query, ...options }));
    const length = this.core.query();
    const bytes = new Uint8Array(this.core.memory.buffer, this.core.answer(), length);
    const answer = JSON.parse(new TextDecoder().decode(bytes)) as T & { error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  private flush(): void {
    if (this.lines.length === 0) return;
    this.write(this.lines.join('\n'));
    this.lines = [];
    this.length = 0;
    this.core.take();
  }

  private write(text: string): void {
    const bytes = new TextEncoder().encode(text);
    const at = this.core.room(bytes.length);
    new Uint8Array(this.core.memory.buffer, at, bytes.length).set(bytes);
  }
}
