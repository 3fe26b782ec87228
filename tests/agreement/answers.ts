/**
 * The package's results for the inputs of `core/vectors/examples/agreement.rs`, compared with the core's native ones.
 */

import type * as halfopen from 'halfopen';

/** The functions that are compared: of `halfopen`, or of `halfopen/js`. */
export type Api = Pick<typeof halfopen, 'classify' | 'parseRetryAfter' | 'redact'>;

type Line =
  | { thrown: unknown; context: halfopen.ClassifyContext; is: Record<string, unknown> }
  | { text: string; redacted: string }
  | { headers: Record<string, string>; now: number; waitMs: number | null };

/** `constructor` holds the name of an error's class, and its instances get a class of that name. */
function live(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(live);
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    name === 'constructor' && typeof field === 'string' ? { name: field } : live(field),
  ]);
  return Object.fromEntries(fields);
}

/** Returns the package's result for a line, in the shape of the native one beside it. */
function answer(api: Api, line: Line): unknown {
  if ('text' in line) return api.redact(line.text);
  if ('headers' in line) return api.parseRetryAfter(line.headers, line.now) ?? null;
  const { code, severity, retryable, rule, retryAfterMs, provider, metadata } = api.classify(
    live(line.thrown),
    line.context,
  );
  return {
    code,
    severity,
    retryable,
    rule,
    retryAfterMs: retryAfterMs ?? null,
    status: provider.statusCode ?? null,
    requestId: provider.requestId ?? null,
    provider: provider.provider ?? null,
    model: provider.model ?? null,
    technicalDetails: metadata.technicalDetails ?? null,
  };
}

function expected(line: Line): unknown {
  if ('text' in line) return line.redacted;
  return 'headers' in line ? line.waitMs : line.is;
}

/** The keys of an object in order, so that equal ones read alike. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );

/** The lines at which the package answers otherwise than the core did natively. */
export function disagreements(api: Api, lines: Iterable<string>): string[] {
  const found: string[] = [];
  for (const text of lines) {
    const line = JSON.parse(text) as Line;
    const [is, should] = [inOrder(answer(api, line)), inOrder(expected(line))];
    if (is !== should) found.push(`${text}\n  here:   ${is}\n  native: ${should}`);
  }
  return found;
}
