/**
 * The files of the dashboard's Lab view: the script of its worker, and the lab's module. The server, the frame of
 * `mountDevtools` and `npx halfopen dashboard` import this file when one of them is requested.
 */

export { labBytes as module } from '../../entry/lab.js';
export { default as script } from './lab-worker.txt';
