/**
 * Stacks of errors that are made of other errors: the frames of the thrown error, then those of the code that awaits
 * the call.
 */

/**
 * The functions that make stacks. Each runs when the stack is first read, because formatting frames costs more than all
 * the rest of an error.
 */
const makers = new WeakMap<object, () => string>();

/**
 * One pair of functions for all errors. With a pair for each, the engine would give each error a hidden class of its
 * own.
 */
const LATE: PropertyDescriptor = {
  get(this: object): string | undefined {
    const make = makers.get(this);
    if (make === undefined) return undefined;
    const made = make();
    write(this, made);
    return made;
  },
  set(this: object, value: unknown): void {
    write(this, value);
  },
  configurable: true,
  enumerable: false,
};

function write(error: object, value: unknown): void {
  makers.delete(error);
  Object.defineProperty(error, 'stack', { value, writable: true, configurable: true, enumerable: false });
}

/** Notes how the error's stack is made, for `showStack` of the error or of a copy. */
export function noteStack(error: object, make: () => string): void {
  makers.set(error, make);
}

/** Gives the error its noted stack. This costs about 2 µs, so only errors that leave the package get one. */
export function showStack(error: object): void {
  Object.defineProperty(error, 'stack', LATE);
}

/** Gives a copy the error's stack. */
export function copyStack(copy: object, error: object): void {
  noteStack(copy, makers.get(error) ?? (() => textOf(error)));
  showStack(copy);
}

/**
 * Returns the error's name and message above the frames of the thrown value. Reading the thrown value may throw, but
 * this function does not.
 */
export function stackOver(error: Error, thrown: unknown): string {
  const frames = framesOf(textOf(thrown));
  // Firefox and Safari put no header above their frames.
  if (frames.some((frame) => !V8_FRAME.test(frame))) return frames.join('\n');
  return [`${error.name}: ${error.message}`, ...frames].join('\n');
}

/** Returns the stack of any thrown value; empty if it is missing or cannot be read. */
export function textOf(thrown: unknown): string {
  try {
    const stack: unknown =
      typeof thrown === 'object' && thrown !== null ? (thrown as { stack?: unknown }).stack : undefined;
    return typeof stack === 'string' ? stack : '';
  } catch {
    return '';
  }
}

const V8_FRAME = /^\s+at /;
/** `function@file:line:column`, as Firefox and Safari write it. */
const AT_SIGN_FRAME = /@.*:\d+$/;
/** The most lines of a stack that are read. */
const MOST_FRAMES = 100;

/** Returns the lines of a stack that are frames, in any engine's format. */
export function framesOf(stack: string): string[] {
  const lines = stack.split('\n', MOST_FRAMES);
  const first = lines.findIndex((line) => V8_FRAME.test(line));
  return first >= 0 ? lines.slice(first) : lines.filter((line) => AT_SIGN_FRAME.test(line));
}

const nothing = (): void => {};

/**
 * Returns a promise that rejects with the error, its stack completed by the frames of the functions that await the promise
 * that it is given to, as the value of its `resolve`.
 *
 * V8 walks from the running job along the promises that wait for it, and takes a frame of each async function on the
 * way (https://v8.dev/docs/stack-trace-api#async-stack-traces). The job that throws here is one that the call's promise
 * waits for, whatever has ended the call. Only failures pay for it.
 */
export function traced(error: Error): Promise<never> {
  // V8 finds the callers by the one promise that waits for this one, and that begins to wait one job later.
  return Promise.resolve()
    .then(nothing)
    .then(() => {
      addCallers(error, new Error());
      throw error;
    });
}

const ASYNC_FRAME = /^\s+at async /;

function addCallers(error: Error, here: Error): void {
  const own = makers.get(error);
  if (own === undefined) return;
  makers.set(error, () => {
    const stack = own();
    const callers = framesOf(textOf(here)).filter((frame) => ASYNC_FRAME.test(frame));
    // If an operation threw at once, the function that awaits now has called it.
    const known = new Set(stack.split('\n').map(place));
    return [stack, ...callers.filter((frame) => !known.has(place(frame)))].join('\n');
  });
}

function place(frame: string): string {
  return frame.replace(ASYNC_FRAME, '    at ');
}

/** Makes an error without capturing a stack. */
export function withoutStack<E>(make: () => E): E {
  const limit = Error.stackTraceLimit;
  try {
    Error.stackTraceLimit = 0;
  } catch {
    return make(); // A frozen Error (SES): the stack is captured then.
  }
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}
