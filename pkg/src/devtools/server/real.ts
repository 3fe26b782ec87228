/** `POST /lab/real`: runs a scenario of the dashboard's Lab view for real, one at a time. A line of JSON for each policy. */

import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Scenario } from '../../lab/scenario.js';

/** More is no scenario. */
const MOST_BYTES = 256 * 1024;

/** The route, to be mounted at `/lab/real`. `whenGone` is aborted when the page no longer waits. */
export function real(whenGone: (c: Context) => AbortSignal): Hono {
  let runs = false;
  const tooLarge = (c: Context) => c.text(`A scenario has at most ${MOST_BYTES} bytes.\n`, 413);
  return new Hono().post('/', bodyLimit({ maxSize: MOST_BYTES, onError: tooLarge }), async (c) => {
    c.header('Cache-Control', 'no-store');
    if (runs) return c.text('Another scenario runs for real. Wait until it has ended, or end it.\n', 409);
    runs = true;
    const gone = whenGone(c);
    try {
      const scenario = JSON.parse(await c.req.text()) as Scenario;
      const { runForReal } = await import('../../lab/real/index.js');
      const results = await runForReal(scenario, { signal: gone });
      const lines = results.map((result) => `${JSON.stringify({ id: 0, ...result })}\n`);
      return c.body(lines.join(''), 200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
    } catch (error) {
      if (gone.aborted) return c.body(null, 400);
      if (error instanceof TypeError || error instanceof SyntaxError)
        return c.text(`${error.message.replace(/^halfopen: /, '')}\n`, 400);
      // Writing it as JSON again needs more stack than is available.
      if (error instanceof RangeError) return c.text('The scenario is nested too deeply.\n', 400);
      throw error;
    } finally {
      runs = false;
    }
  });
}
