/** One signal of two. */

/** Aborts with the first, if there is one, and with the second. */
export function joinedSignal(first: AbortSignal | undefined, second: AbortSignal): AbortSignal {
  if (first === undefined) return second;
  if (typeof AbortSignal.any === 'function') return AbortSignal.any([first, second]);
  // Node 18. The listeners live as long as their signals do.
  const both = new AbortController();
  for (const signal of [first, second]) {
    if (signal.aborted) both.abort(signal.reason);
    else signal.addEventListener('abort', () => both.abort(signal.reason), { once: true });
  }
  return both.signal;
}
