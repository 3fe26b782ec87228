/** What a process that allows control needs; loaded by `connectDevtools({ control: true })` alone. */

export { Control } from './carry-out.js';
export { waitForActs } from './wait.js';
