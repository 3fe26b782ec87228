/**
 * What the dashboard's Lab view needs beside the page: the script of its worker, and the lab's module. The server, the frame of
 * `mountDevtools` and `npx halfopen dashboard` import this file when somebody asks for one of them.
 */

export { labBytes as module } from '../../entry/lab.js';
export { default as script } from './lab-worker.txt';
