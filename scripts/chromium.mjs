// The Chromium of every test, bench and check in a browser: its path, and its flags.

/** The browser that scripts/env.sh found, or Debian's. */
export const CHROMIUM = process.env.CHROMIUM || process.env.HALFOPEN_CHROMIUM || '/usr/bin/chromium';

/** Runs as root and without a screen, and sends no request outside. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
