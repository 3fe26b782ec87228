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
