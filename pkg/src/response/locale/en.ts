/** Status lines in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { StatusTexts } from './types.js';

export const enStatusTexts: StatusTexts = {
  sending: '⏳ Sending message to AI...',
  using: '🔧 Using {tool}...',
  failed: '❌ Error: {detail}',
  executed: 'Analysis complete. Executed {tool} successfully.',
  analysed: 'Analysis complete using available tools.',
  completed: 'Task completed using available tools.',
};
