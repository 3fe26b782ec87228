/** Logs, and the dashboard's view of them, for `npx halfopen diagnose`, `mcp` and `replay`. For Node. */

export { isPostgresUrl } from '../devtools/postgres-url.js';
export { Diagnosis, type Finding, type Grade, type LogSummary } from './module.js';
export { databaseSource, fileSource, type LogSource, serverSource } from './source.js';

import { Diagnosis } from './module.js';
import type { LogSource } from './source.js';

/** Reads a log. */
export async function diagnosisOf(source: LogSource): Promise<Diagnosis> {
  const diagnosis = new Diagnosis();
  for await (const line of source.lines()) diagnosis.take(line);
  return diagnosis;
}
