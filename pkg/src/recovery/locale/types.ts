/** The labels of a report of one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

/** The labels of a report in one language. */
export interface Labels {
  /** The title. */
  readonly heading: string;
  /** Of the error's type, with its code and severity. */
  readonly kind: string;
  /** Of what the user asked for. */
  readonly task: string;
  /** Of what failed. */
  readonly operation: string;
  /** Of what the error said. */
  readonly message: string;
  /** Of the capability that failed. */
  readonly capability: string;
  /** Of the guidance that travels with the error. */
  readonly metadata: string;
  /** Of the three numbers that follow. */
  readonly stats: string;
  /** How many steps were begun. */
  readonly operations: string;
  /** How long they took. */
  readonly time: string;
  /** How many retries there were. */
  readonly retries: string;
  /** Of an explanation, behind the report. */
  readonly analysis: string;
  /** The sentence instead of an explanation. */
  readonly noAnalysis: string;
  /** The message for a user when the error step itself fails. */
  readonly stepFailed: string;
}
