/** The agent's side of control, loaded by `connectDevtools({ control: true })` alone. */

import type { ControlOptions } from '../platform.js';
import { Control } from './carry-out.js';
import { waitForActions } from './wait.js';

/** Lets the server's user act on this process. Returns how to end that. */
export function allowControl(options: ControlOptions): () => void {
  const control = new Control();
  const stopWaiting = waitForActions(options, (action) => control.carryOut(action));
  return () => {
    stopWaiting();
    control.close();
  };
}
