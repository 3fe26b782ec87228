// Shared by the clients of hosted APIs: a table of responses, one case each.
import { serve } from './servers/net.mjs';

/** rows: name, status, body, what is right, why, headers. `keeps`: what of it the thrown value carries. */
export function addResponses(lib, rows, call, keeps = {}) {
  for (const [name, status, body, expect, why, headers] of rows) {
    const { retryAfterMs, ...right } = expect;
    lib.add(
      name,
      { ...right, ...(keeps.status && { status }), ...(keeps.hint && retryAfterMs && { retryAfterMs }) },
      why,
      async () =>
        call({
          url: (await serve({ status, body, headers: typeof headers === 'function' ? headers() : headers }))
            .url,
        }),
    );
  }
}
