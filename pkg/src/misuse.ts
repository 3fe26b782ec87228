/** The error for a wrong argument: a TypeError with the expected and the actual form. */

/** The TypeError for a value that an option may not have. */
export function misuse(path: string, expected: string, got: unknown, words?: readonly string[]): TypeError {
  const meant = words === undefined ? undefined : nearest(String(got), words);
  return new TypeError(
    `halfopen: option '${path}' must be ${expected}, got ${show(got)}${meant === undefined ? '' : `; did you mean '${meant}'?`}`,
  );
}

/** A value as a message shows it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 60 ? `${value.slice(0, 57)}...` : value}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Promise) return 'a promise';
  if (isPolicy(value))
    return 'one of another copy of halfopen (require and import make two, and so do two versions)';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/**
 * Returns `true` for the result of any copy's `createPolicy`. If a policy is expected, those of this copy are
 * recognised earlier.
 */
function isPolicy(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const { execute, respond, snapshot } = value as Record<string, unknown>;
    return [execute, respond, snapshot].every((method) => typeof method === 'function');
  } catch {
    return false; // A getter or a proxy that throws.
  }
}

/** Returns the most similar name; `undefined` if all are too different. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 60) return undefined;
  let best: string | undefined;
  let least = Math.max(2, Math.ceil(name.length / 3)) + 1;
  for (const word of known) {
    const distance = editDistance(name.toLowerCase(), word.toLowerCase());
    if (distance < least) {
      best = word;
      least = distance;
    }
  }
  return best;
}

/** Levenshtein's distance, two rows at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
