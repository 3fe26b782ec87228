/** Status lines in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { StatusTexts } from './types.js';

export const deStatusTexts: StatusTexts = {
  sending: '⏳ Nachricht wird an die KI gesendet …',
  using: '🔧 {tool} wird verwendet …',
  failed: '❌ Fehler: {detail}',
  executed: 'Analyse abgeschlossen. {tool} wurde erfolgreich ausgeführt.',
  analysed: 'Analyse mit den verfügbaren Werkzeugen abgeschlossen.',
  completed: 'Aufgabe mit den verfügbaren Werkzeugen erledigt.',
};
