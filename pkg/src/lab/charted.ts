/** What of a run a chart shows: one number an interval, to the end of the arrivals. */
export type Charted = Record<
  | 'offered'
  | 'attempts'
  | 'succeeded'
  | 'failed'
  | 'rejected'
  | 'inFlight'
  | 'queued'
  | 'waiting'
  | 'userP95Ms'
  | 'open'
  | 'halfOpen',
  readonly number[]
>;
