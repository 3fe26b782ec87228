// The contract of `halfopen/log`.
/** One structured line a call that matters, to pino, winston, console or a function. Returns how to stop. */
export function logEvents(logger: { info(...args: any[]): void; warn(...args: any[]): void; error(...args: any[]): void }, options?: { level?: 'all' | 'problems' | undefined }): () => void;
