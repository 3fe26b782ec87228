/** The labels of a report in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { Labels } from './types.js';

export const deLabels: Labels = {
  heading: 'Fehlerbericht',
  kind: 'Fehlerart',
  task: 'Aufgabe',
  operation: 'Fehlgeschlagener Schritt',
  message: 'Fehlermeldung',
  capability: 'Fähigkeit',
  metadata: 'Angaben zum Fehler',
  stats: 'Ablauf',
  operations: 'Schritte insgesamt',
  time: 'Dauer',
  retries: 'Wiederholungen',
  analysis: 'Analyse',
  noAnalysis: 'Eine Erklärung war diesmal nicht möglich; der Bericht oben enthält alles, was bekannt ist.',
  stepFailed: 'Beim Behandeln eines Fehlers ist etwas schiefgegangen. Bitte beginnen Sie neu.',
};
