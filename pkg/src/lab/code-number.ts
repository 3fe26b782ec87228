/** Codes of a log as the core's numbers. */

import { codeIndex } from '../error/agent-error.js';

/** The number of a code; that of UNKNOWN for another text. */
export function codeNumber(code: unknown): number {
  return codeIndex(code as Parameters<typeof codeIndex>[0]) ?? codeIndex('UNKNOWN');
}
