/** The dashboard's files as one module: pkg/dist/embedded/dashboard.js, which scripts/embed-dashboard.mjs makes. */

export const html: string;
export const css: string;
export const script: string;
/** Gzip, in base64. */
export const wasm: string;
/** What the dashboard asks the core, a module of its own; the same. */
export const answers: string;
