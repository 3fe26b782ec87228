/** Options as tables: one row for each name says what it may be; wrong ones are TypeErrors that say so. */

import { AGENT_ERROR_CODES } from './codes.js';
import { misuse, nearest, show } from './misuse.js';
import { ALTERNATIVES } from './option-table.js';

export { misuse };

/** The kind of an option: words for the message, and a function that reads a value (a copy) or returns `refused`. */
export interface Kind {
  readonly expected: string;
  read(value: unknown, path: string): unknown;
  /** The options within it, if it is an object of options. */
  readonly shape?: Shape | undefined;
}

/** The names of an object's options and what each may be. */
export type Shape = Readonly<Record<string, Kind>>;

/** Returns the shape without the options of these names. */
export function without(shape: Shape, ...names: string[]): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([name]) => !names.includes(name)));
}

const refused = Symbol('refused');

/** A kind of value that is known by a test, and kept as it is. */
export function kind(expected: string, accepts: (value: unknown) => boolean): Kind {
  return { expected, read: (value) => (accepts(value) ? value : refused) };
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);

/** A span that may be zero, but not endless. */
export const delay = kind(
  'a finite number of milliseconds, 0 or more',
  (value) => isNumber(value) && value >= 0 && value < Number.POSITIVE_INFINITY,
);
/** A span that may be zero or `Infinity`: no bound. */
export const bound = kind('a number of milliseconds, 0 or more', (value) => isNumber(value) && value >= 0);
/** A time limit in which something must be able to happen; `Infinity` means no limit. */
export const span = kind('a number of milliseconds above 0', (value) => isNumber(value) && value > 0);
export const finiteSpan = kind(
  'a finite number of milliseconds above 0',
  (value) => isNumber(value) && value > 0 && value < Number.POSITIVE_INFINITY,
);
export const count = kind(
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const countOrInfinity = kind(
  'a whole number, 0 or more, or Infinity',
  (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 0),
);
export const positiveCount = kind(
  'a whole number, 1 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 1,
);
export const port = kind(
  'a whole number from 0 to 65535',
  (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
);
export const factor = kind(
  'a finite number, 0 or more',
  (value) => isNumber(value) && value >= 0 && value < Number.POSITIVE_INFINITY,
);
export const growth = kind(
  'a finite number, 1 or more',
  (value) => isNumber(value) && value >= 1 && value < Number.POSITIVE_INFINITY,
);
export const rate = kind(
  'a number above 0, at most 1',
  (value) => isNumber(value) && value > 0 && value <= 1,
);
export const share = kind('a number from 0 to 1', (value) => isNumber(value) && value >= 0 && value <= 1);
export const flag = kind('a boolean', (value) => typeof value === 'boolean');
export const text = kind('a string', (value) => typeof value === 'string');
export const filledText = kind(
  'a string that is not empty',
  (value) => typeof value === 'string' && value !== '',
);
export const callback = kind('a function', (value) => typeof value === 'function');
/** One whose value is needed at once. */
export const syncCallback = kind(
  'a function that is not async',
  (value) => typeof value === 'function' && !isAsync(value),
);
export const finite = kind('a finite number', (value) => isNumber(value) && Number.isFinite(value));

/** Known by its tag: an async function of another realm has another constructor. */
function isAsync(value: unknown): boolean {
  return /^\[object Async/.test(Object.prototype.toString.call(value));
}

export function oneOf(...words: readonly string[]): Kind {
  return kind(words.map((word) => `'${word}'`).join(', '), (value) => words.includes(value as string));
}

export function either(...kinds: readonly Kind[]): Kind {
  return {
    expected: kinds.map((one) => one.expected).join(', or '),
    shape: kinds.find((one) => one.shape !== undefined)?.shape,
    read(value, path) {
      for (const one of kinds) {
        const read = one.read(value, path);
        if (read !== refused) return read;
      }
      return refused;
    },
  };
}

export const no = kind('false', (value) => value === false);

/** `pointless`: names that one might expect here, each with the reason why it is not allowed. */
function listOf(
  words: readonly string[],
  what: string,
  pointless: Readonly<Record<string, string>> = {},
): Kind {
  return {
    expected: `an array of ${what}`,
    read(value, path) {
      if (!Array.isArray(value)) return refused;
      for (const [index, item] of value.entries()) {
        if (words.includes(item)) continue;
        const why = Object.hasOwn(pointless, item) ? pointless[item] : undefined;
        if (why === undefined) throw misuse(`${path}[${index}]`, `one of the ${what}`, item, words);
        throw new TypeError(`halfopen: option '${path}[${index}]' is ${show(item)}: ${why}`);
      }
      return [...value];
    },
  };
}

/** An object of options of its own. */
export function object(shape: Shape): Kind {
  return {
    expected: 'an object',
    shape,
    read: (value, path) => (isObject(value) ? readObject(shape, value, path) : refused),
  };
}

/** A list of this kind, as a copy. */
export function list(item: Kind): Kind {
  return {
    expected: `an array, each ${item.expected}`,
    read(value, path) {
      if (!Array.isArray(value)) return refused;
      return value.map((given, index) => {
        const read = item.read(given, `${path}[${index}]`);
        if (read === refused) throw misuse(`${path}[${index}]`, item.expected, given);
        return read;
      });
    },
  };
}

/** A value that is kept unchanged, recognised by its methods. */
export function duck(expected: string, ...methods: readonly string[]): Kind {
  return kind(
    expected,
    (value) =>
      value !== null &&
      typeof value === 'object' &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  );
}

/** An object of a class, kept as it is. */
export function instance(expected: string, type: abstract new (...args: never[]) => unknown): Kind {
  return kind(expected, (value) => value instanceof type);
}

export const clock = duck('a clock (now, setTimeout, clearTimeout)', 'now', 'setTimeout', 'clearTimeout');
export const abortSignal = kind(
  'an AbortSignal',
  (value) =>
    value !== null &&
    typeof value === 'object' &&
    typeof (value as AbortSignal).aborted === 'boolean' &&
    typeof (value as AbortSignal).addEventListener === 'function',
);

const RETRIED_TYPES = ['timeout', 'tool_failed', 'llm_failed', 'network'] as const;
/** Codes of errors, and types with codes that are retried, in a list. */
export const codesOrTypes = listOf([...AGENT_ERROR_CODES, ...RETRIED_TYPES], 'error codes and types', {
  unknown:
    "a type stands for the retryable errors of that type, and this type has none; list the code 'UNKNOWN' to retry what is not recognised",
  validation:
    "a type stands for the retryable errors of that type, and this type has none; list the codes, such as 'VALIDATION_ERROR'",
});
export const codes = listOf(AGENT_ERROR_CODES, 'error codes');

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A checked copy of the options: every name known, every value of its kind, absent where `undefined`.
 *
 * @throws TypeError that names the option, what was expected and what came.
 */
export function readOptions<T>(shape: Shape, options: unknown, where: string): T {
  if (options === undefined) return {} as T;
  if (!isObject(options)) {
    throw new TypeError(`halfopen: ${where} expects an object of options, got ${show(options)}`);
  }
  return readObject(shape, options, '', where) as T;
}

function readObject(
  shape: Shape,
  options: Record<string, unknown>,
  path: string,
  where?: string,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name in options) {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const full = path === '' ? name : `${path}.${name}`;
    if (known === undefined) throw unknownName(path, name, shape, where);
    const value = options[name];
    if (value === undefined) continue;
    const read = known.read(value, full);
    if (read === refused) throw misuse(full, known.expected, value);
    copy[name] = read;
  }
  return copy;
}

/** Returns `true` for an object whose names are options; arrays, functions and instances of classes are values. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Returns options over those of the layer below, at any depth: one that is given replaces only itself. */
export function over<T extends object>(below: T, given: Partial<T> | undefined): T {
  if (given === undefined) return below;
  const merged = { ...below } as Record<string, unknown>;
  for (const group of ALTERNATIVES) {
    const chosen = group.find((names) => names.some((name) => name in given));
    for (const name of chosen === undefined ? [] : group.flat())
      if (!chosen?.includes(name)) delete merged[name];
  }
  for (const [name, value] of Object.entries(given)) {
    const base = merged[name];
    merged[name] = isPlain(value) && isPlain(base) ? over(base, value) : value;
  }
  return merged as T;
}

/** @throws TypeError where a function was expected and something else came. */
export function expectFunction(given: unknown, where: string): void {
  if (typeof given === 'function') return;
  const how = given instanceof Promise ? ' (already running): pass a function, () => yourPromise()' : '';
  throw new TypeError(`halfopen: ${where} expects a function, got ${show(given)}${how}`);
}

function unknownName(path: string, name: string, shape: Shape, where = ''): TypeError {
  const prefix = path === '' ? '' : `${path}.`;
  const known = Object.keys(shape);
  const outer = known.find((one) => isOwnName(name) && Object.hasOwn(shape[one]?.shape ?? {}, name));
  const meant = outer === undefined ? nearestOption(name, known) : `${prefix}${outer}.${name}`;
  const guess = meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean '${meant}'?`;
  return new TypeError(
    `halfopen: unknown option '${prefix}${name}'${where === '' ? '' : ` of ${where}`}; ${guess}`,
  );
}

/** Returns `true` if a name is specific to one option: `name` or `seed` could belong to anything. */
function isOwnName(name: string): boolean {
  return name.length > 6;
}

/** The option that is spelt alike, or else the first that has the word in its name: `max` is `maxRetries`. */
function nearestOption(name: string, known: readonly string[]): string | undefined {
  const word = name.toLowerCase();
  const spelt = nearest(name, known);
  return spelt ?? (word.length < 3 ? undefined : known.find((one) => one.toLowerCase().includes(word)));
}
