/** Status lines in one language. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

import type { StatusTexts } from './types.js';

export const esStatusTexts: StatusTexts = {
  sending: '⏳ Enviando el mensaje a la IA…',
  using: '🔧 Usando {tool}…',
  failed: '❌ Error: {detail}',
  executed: 'Análisis completado. {tool} se ejecutó correctamente.',
  analysed: 'Análisis completado con las herramientas disponibles.',
  completed: 'Tarea completada con las herramientas disponibles.',
};
