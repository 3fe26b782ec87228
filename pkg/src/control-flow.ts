/**
 * Control flow of a host: values that a framework throws to go elsewhere, not because something failed. They pass through this
 * package as they were thrown: `redirect()` within a guarded call still redirects.
 */

/** Next's digests with nothing behind them, https://nextjs.org/docs/app/api-reference/functions/unstable_rethrow. */
const NEXT =
  /^(NEXT_REDIRECT;|NEXT_HTTP_ERROR_FALLBACK;|NEXT_NOT_FOUND$|NEXT_PRERENDER_INTERRUPTED$|DYNAMIC_SERVER_USAGE$|BAILOUT_TO_CLIENT_SIDE_RENDERING$|HANGING_PROMISE_REJECTION$)/;

/**
 * The errors that React's `use` and `useActionState` throw, in development and by number: https://react.dev/errors/460, 542.
 */
const SUSPENSE = /^(Suspense Exception:|Minified React error #(460|542);)/;

/**
 * Returns `true` if a thrown value is control flow of its host: LangGraph's interrupts and commands to a parent graph,
 * Next's redirects, not-founds and bail-outs, a promise that React's Suspense waits for. It recognises them by their
 * marks, because the host is not imported, and there may be several copies of it. Never throws.
 */
export function isControlFlow(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  try {
    const { is_bubble_up, lg_name, digest, then, $$typeof, message } = thrown as Record<string, unknown>;
    return (
      is_bubble_up === true ||
      lg_name === 'Command' ||
      typeof then === 'function' ||
      $$typeof === Symbol.for('react.postpone') ||
      (typeof digest === 'string' && NEXT.test(digest)) ||
      (typeof message === 'string' && SUSPENSE.test(message))
    );
  } catch {
    return false; // A getter or a proxy that throws.
  }
}
