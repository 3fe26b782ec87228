import type { Browser } from 'puppeteer-core';

export const FIREFOX: string | undefined;
/** Starts it by Puppeteer. */
export function launchFirefox(): Promise<Browser>;
