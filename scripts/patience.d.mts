/** The time, in milliseconds, after which the runner ends a test file. */
export const PATIENCE: number;
/** The longest wait for one condition, in milliseconds. */
export const WAIT: number;
/**
 * Reads until the value is the expected one, and returns it. `expected` is a predicate, or words for the error: then the
 * value must be truthy.
 */
export function until<T>(read: () => T | Promise<T>, expected?: string | ((value: T) => boolean)): Promise<T>;
