// The failures below HTTP, made with the client of a service. The service's own errors are with each library.
import { again, final } from './expect.mjs';
import { abortAfter, closedPort, serve } from './servers/net.mjs';

/** No connection, or one that breaks. `add` is a library's; `call({ url })` makes one request without retries. */
export function addConnectionFaults(add, call, { host = true } = {}) {
  add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
    call({ url: `http://127.0.0.1:${await closedPort()}` }),
  );
  if (host)
    add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
      call({ url: 'http://nonexistent.invalid' }),
    );
  add('reset', again('NETWORK_ERROR'), 'the connection broke', async () =>
    call({ url: (await serve({ reset: true })).url }),
  );
}

/** `call({ url, timeout, signal })` makes one request without retries. */
export function addTransportFaults(
  lib,
  call,
  { skip = [], instead = {}, abort = true, timeout = true, host = true } = {},
) {
  const add = (name, expect, ...rest) =>
    skip.includes(name) || lib.add(name, instead[name] ?? expect, ...rest);
  addConnectionFaults(add, call, { host });
  add('html-502', again('SERVER_ERROR', { status: 502 }), 'a proxy in between fails', async () =>
    call({
      url: (
        await serve({
          status: 502,
          headers: { 'content-type': 'text/html' },
          body: '<html><head><title>502 Bad Gateway</title></head></html>',
        })
      ).url,
    }),
  );
  add('cut-body', again('NETWORK_ERROR', 'INVALID_RESPONSE'), 'the body broke off', async () =>
    call({
      url: (
        await serve({
          headers: { 'content-type': 'application/json' },
          body: '{"items":[{"id":1},{"id":2}]}',
          cut: 15,
        })
      ).url,
    }),
  );
  if (timeout)
    add('timeout', again('TIMEOUT'), 'the client waited as long as it was to', async () =>
      call({ url: (await serve({ silent: true })).url, timeout: 150 }),
    );
  if (abort)
    add('abort', final('CANCELLED'), 'the user wanted it to end', async () =>
      call({ url: (await serve({ silent: true })).url, signal: abortAfter(80) }),
    );
}

/** A page of a gateway where JSON was due. */
export function addPage(lib, call) {
  lib.add('html', final('INVALID_RESPONSE', 'CONFIG_ERROR'), 'a page where JSON was due', async () =>
    call({
      url: (
        await serve({
          headers: { 'content-type': 'text/html' },
          body: '<!DOCTYPE html><html><title>Sign in</title></html>',
        })
      ).url,
    }),
  );
}
