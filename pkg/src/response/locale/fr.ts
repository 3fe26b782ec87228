/** Status lines in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { StatusTexts } from './types.js';

export const frStatusTexts: StatusTexts = {
  sending: '⏳ Envoi du message à l’IA…',
  using: '🔧 Utilisation de {tool}…',
  failed: '❌ Erreur : {detail}',
  executed: 'Analyse terminée. L’exécution de {tool} a réussi.',
  analysed: 'Analyse terminée à l’aide des outils disponibles.',
  completed: 'Tâche accomplie à l’aide des outils disponibles.',
};
