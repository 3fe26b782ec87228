// The contract of `halfopen/devtools`.
import type { Policy } from 'halfopen';
/**
 * Sends every event of the given policies (default: all of this process) to the devtools server and/or a
 * BroadcastChannel of this origin. Batches, never blocks or throws into the agent; keeps at most `buffer`
 * events while the server is away and counts what it drops.
 */
export function connectDevtools(options?: {
  url?: string | undefined;               // http://127.0.0.1:4319
  token?: string | undefined;
  channel?: string | false | undefined;   // 'halfopen'
  policies?: readonly Policy<unknown>[] | undefined;
  buffer?: number | undefined;            // 10000
  onStatus?: ((status: 'connecting' | 'connected' | 'refused' | 'away') => void) | undefined;   // one warning on the console where it finds no server or is refused
}): { readonly dropped: number; readonly status: 'connecting' | 'connected' | 'refused' | 'away'; flush(): Promise<void>; close(): Promise<void> };
/** The server behind `npx halfopen devtools`: collects, keeps on disk, serves the dashboard. */
export function startDevtoolsServer(options?: {
  port?: number | undefined; host?: string | undefined; directory?: string | undefined; token?: string | false | undefined;
}): Promise<{ url: string; close(): Promise<void> }>;
