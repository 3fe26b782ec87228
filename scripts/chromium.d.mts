import type { Browser } from 'playwright-core';

/** Where the browser is. */
export const CHROMIUM: string;
/** How it is started. */
export const CHROMIUM_FLAGS: string[];
/** Starts it by Playwright, with further flags. */
export function launchChromium(...flags: string[]): Promise<Browser>;
