/** The time, in milliseconds, after which the runner ends a test file. */
export const PATIENCE: number;
/** The longest wait for one condition, in milliseconds. */
export const WAIT: number;
/**
 * Reads until the value is the expected one, and returns it. `expected` is a predicate, or words for the error: then the
 * value must be truthy.
 */
export function until<T>(read: () => T | Promise<T>, expected?: string | ((value: T) => boolean)): Promise<T>;
/** Starts to measure time as this process lives it, and returns the function that ends that and returns the milliseconds. */
export function ownTime(): () => number;
/** Starts to measure the processor time of this process, and returns the function that returns it, in milliseconds. */
export function ownWork(): () => number;
