/** Holds the preamble of a stream back: until something of it has reached its reader, an attempt that fails may be repeated. */

/** The items until the first that is not of the preamble, as one list; then a list for each item. */
export async function* heldUntil<T>(
  items: AsyncIterable<T>,
  isPreamble: (item: T) => boolean,
): AsyncGenerator<T[], void> {
  let held: T[] = [];
  let hasBegun = false;
  for await (const item of items) {
    held.push(item);
    if (!hasBegun && isPreamble(item)) continue;
    hasBegun = true;
    yield held;
    held = [];
  }
  if (held.length > 0) yield held;
}
