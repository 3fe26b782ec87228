/** The labels of a report in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { Labels } from './types.js';

export const enLabels: Labels = {
  heading: 'Error report',
  kind: 'Error type',
  task: 'Task',
  operation: 'Failed operation',
  message: 'Error message',
  capability: 'Capability',
  metadata: 'Error metadata',
  stats: 'Execution stats',
  operations: 'Total operations',
  time: 'Execution time',
  retries: 'Retry attempts',
  analysis: 'Analysis',
  noAnalysis: 'No explanation could be made this time; the report above has everything that is known.',
  stepFailed: 'Something went wrong while an error was being handled. Please start again.',
};
