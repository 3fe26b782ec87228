// How long a test waits for a condition. A busy machine takes many times as long as an idle one, so every wait is as long
// as the runner allows, and a test that needs no limit sets none.

/** The time, in milliseconds, after which the runner ends a test file and names it: something keeps its process alive. */
export const PATIENCE = 900_000;

/** The longest wait for one condition, in milliseconds. It ends before the runner ends the file, so its error is printed. */
export const WAIT = (PATIENCE * 2) / 3;

/** Between two reads, in milliseconds. */
const PAUSE = 25;

/** Reads until the value is the expected one, and returns it. Fails after `WAIT` with the last value. */
export async function until(read, expected = Boolean) {
  const isExpected = typeof expected === 'string' ? Boolean : expected;
  for (const end = performance.now() + WAIT; ; ) {
    const value = await read();
    if (isExpected(value)) return value;
    if (performance.now() > end)
      throw new Error(`waited in vain for ${expected}, the last value is ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** A tick of `ownTime`, in milliseconds. */
const TICK = 10;

/**
 * Starts to measure time as this process lives it, and returns the function that ends that and returns the milliseconds.
 * While a busy machine holds the process up, none pass: timers of the process wait then too.
 */
export function ownTime() {
  let ms = 0;
  const timer = setInterval(() => {
    ms += TICK;
  }, TICK);
  timer.unref?.(); // in a page it is a number
  return () => {
    clearInterval(timer);
    return ms;
  };
}

/** Starts to measure the processor time of this process, and returns the function that returns it, in milliseconds. */
export function ownWork() {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
