/** The state that a policy shares with those of other processes, as its calls use it. `halfopen/fleet` makes one. */

export interface SharedState {
  /**
   * A call begins. Returns what it has to wait for where something must be exact, which never rejects and is bounded in time;
   * else nothing.
   */
  admit(estimatedTokens?: number): Promise<void> | undefined;
  /** A limit refused a call, or a call waits in a queue, for what it would take. */
  wanting(estimatedTokens?: number): void;
  /** An attempt failed, and the provider asked for a wait. */
  hinted(code: string, waitMs: number): void;
  /** The policy was disposed. */
  leave(): Promise<void>;
}
