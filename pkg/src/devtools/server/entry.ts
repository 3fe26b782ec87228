/**
 * The way into the dashboard: a page that leaves a key in the browser, and one-time codes for it.
 *
 * A cookie goes to every port of a host, so any program that the same browser visits there gets it. It opens nothing but
 * the dashboard's own files, which are public. Events are read with a key that the browser keeps for this origin, port
 * included (`localStorage`), and that the dashboard puts into the address of its stream. The key is derived from the
 * token, and opens nothing but reading, runs of the lab for real, and actions on processes that allow them.
 */

import { createHmac, randomBytes } from 'node:crypto';

/** Under this name the browser keeps the key. The dashboard reads it (`web/src/source/stream.rs`). */
const KEY_NAME = 'halfopen-key';

/** Where the script of the entry page is. */
export const ENTRY_SCRIPT_PATH = '/entry.js';

/** A code works once, and only for this time. A browser that starts slowly needs some seconds. */
const CODE_LASTS_MS = 60_000;
/** Codes that are open at once. */
const MOST_CODES = 32;

/** The browser's secrets, derived from the token. Neither can be turned into the other, or into the token. */
export interface BrowserSecrets {
  /** Opens the dashboard's files. */
  readonly cookie: string;
  /** Opens `GET /events`, `POST /lab/real` and `POST /control`. */
  readonly key: string;
}

/** Derives them from a token. */
export function browserSecrets(token: string): BrowserSecrets {
  const derive = (purpose: string) => createHmac('sha256', token).update(purpose).digest('base64url');
  return { cookie: derive('halfopen dashboard files'), key: derive('halfopen dashboard events') };
}

/** The result of redeeming a code: `reused` for a second time, `unknown` for an old code or a foreign one. */
export type Redeemed = 'valid' | 'reused' | 'unknown';

/** Codes that open the dashboard once each. */
export class OneTimeCodes {
  private readonly issued = new Map<string, { readonly at: number; used: boolean }>();

  /** A new code. */
  issue(now = performance.now()): string {
    this.forgetOld(now);
    const code = randomBytes(24).toString('base64url');
    this.issued.set(code, { at: now, used: false });
    return code;
  }

  /** Uses a code up. */
  redeem(code: string, now = performance.now()): Redeemed {
    this.forgetOld(now);
    const found = this.issued.get(code);
    if (found === undefined) return 'unknown';
    if (found.used) return 'reused';
    found.used = true;
    return 'valid';
  }

  private forgetOld(now: number): void {
    for (const [code, { at }] of this.issued) {
      if (now - at >= CODE_LASTS_MS || this.issued.size >= MOST_CODES) this.issued.delete(code);
    }
  }
}

/** The page that keeps the key and goes on to `target`, a path of this server. It leaves no entry in the history. */
export function entryPage(key: string, target: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Halfopen</title>
<script src="${ENTRY_SCRIPT_PATH}" data-key="${escaped(key)}" data-target="${escaped(target)}"></script>
<noscript>The dashboard needs JavaScript.</noscript>
</html>
`;
}

/** The script of that page; the page's policy allows no inline one. */
export const ENTRY_SCRIPT = `const { key, target } = document.currentScript.dataset;
try {
  localStorage.setItem('${KEY_NAME}', key);
  location.replace(target + location.hash);
} catch (error) {
  document.title = 'Halfopen: this browser keeps nothing for this page (' + error.name + ')';
}
`;

function escaped(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
