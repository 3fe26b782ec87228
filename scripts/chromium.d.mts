/** Where the browser is. */
export const CHROMIUM: string;
/** How it is started. */
export const CHROMIUM_FLAGS: string[];
