/** Status lines of one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

/** The texts that a user reads while an answer comes in, and instead of one. */
export interface StatusTexts {
  /** The request goes out. */
  readonly sending: string;
  /** The call of a tool, `{tool}`, begins. */
  readonly using: string;
  /** The exchange failed with the message `{detail}`. */
  readonly failed: string;
  /** Instead of a stream's text: it only called tools, `{tool}` last. */
  readonly executed: string;
  /** The same where no tool has a name. */
  readonly analysed: string;
  /** Instead of a whole response's text: it only called tools. */
  readonly completed: string;
}
