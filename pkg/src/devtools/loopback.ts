/** Returns `true` if a host name always means this machine. */

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Returns `true` for `localhost`, `127.x.x.x` and `::1`, in brackets or not. Other names may lead anywhere. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
