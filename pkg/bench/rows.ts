/**
 * The measurements of a bench, kept for docs/benchmarks.md, which scripts/bench-page.mjs writes when all of them have
 * run.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The cost of one task in one library, beside the cost of the same task in others. */
export interface Row {
  /** The thing: rows of one are beside one another. */
  what: string;
  who: string;
  /** The options that it was given. */
  how: string;
  unit: 'ns' | 'ms' | 'bytes' | 'kB';
  /** One for each round. */
  values: readonly number[];
}

/** How often a bench measures each case, where `BENCH_ROUNDS` does not say otherwise. */
export const rounds = (usual: number): number => Number(process.env.BENCH_ROUNDS ?? usual);

const folder = fileURLToPath(new URL('../../target/bench/', import.meta.url));

export function keepRows(bench: string, rows: readonly Row[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${bench}.json`, `${JSON.stringify(rows)}\n`);
}
