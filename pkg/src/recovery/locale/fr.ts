/** The labels of a report in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { Labels } from './types.js';

export const frLabels: Labels = {
  heading: 'Rapport d’erreur',
  kind: 'Type d’erreur',
  task: 'Tâche',
  operation: 'Opération en échec',
  message: 'Message d’erreur',
  capability: 'Capacité',
  metadata: 'Données de l’erreur',
  stats: 'Exécution',
  operations: 'Opérations au total',
  time: 'Durée',
  retries: 'Nouvelles tentatives',
  analysis: 'Analyse',
  noAnalysis:
    'Aucune explication n’a pu être donnée cette fois ; le rapport ci-dessus contient tout ce qui est connu.',
  stepFailed: 'Un problème est survenu pendant le traitement d’une erreur. Veuillez recommencer.',
};
