/** Functions of the application's that may return a promise: what comes next waits for it. */

/** Calls `run`, then one of the two others with its result: at once unless it returned a promise. */
export function whenDone(
  run: () => unknown,
  returned: (value: unknown) => void,
  threw: (thrown: unknown) => void,
): void {
  let result: unknown;
  try {
    result = run();
    if ((typeof result === 'object' && result !== null) || typeof result === 'function') {
      Promise.resolve(result).then(returned, threw);
      return;
    }
  } catch (thrown) {
    threw(thrown);
    return;
  }
  returned(result);
}

/** Runs all of the steps, whichever of them throws. */
export function runAll(steps: readonly (() => void)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch {
      // The next step may work all the same.
    }
  }
}
