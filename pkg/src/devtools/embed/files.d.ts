/** The dashboard as one module: pkg/dist/embedded/dashboard.js, which scripts/embed-dashboard.mjs makes. */

/** Each of its files by its name: gzip, in base64. */
export const files: Readonly<Record<string, string>>;

/** The page of a frame without an address. */
export const html: string;
/** A script for it, with all others in it. */
export const script: string;

/** The name of the style sheet. */
export const css: string;
/** The name of the dashboard's module. */
export const wasm: string;
/** The name of the module with what the dashboard asks the core. */
export const answers: string;
