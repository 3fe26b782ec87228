/** The labels of a report in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { Labels } from './types.js';

export const esLabels: Labels = {
  heading: 'Informe de error',
  kind: 'Tipo de error',
  task: 'Tarea',
  operation: 'Operación fallida',
  message: 'Mensaje de error',
  capability: 'Capacidad',
  metadata: 'Datos del error',
  stats: 'Ejecución',
  operations: 'Operaciones en total',
  time: 'Duración',
  retries: 'Reintentos',
  analysis: 'Análisis',
  noAnalysis: 'Esta vez no se pudo dar una explicación; el informe de arriba contiene todo lo que se sabe.',
  stepFailed: 'Algo salió mal al tratar un error. Vuelva a empezar, por favor.',
};
