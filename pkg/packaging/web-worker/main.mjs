// A Web Worker that is a module: it guards calls while the page does something else.
const worker = new Worker('./worker.js', { type: 'module' });
worker.onmessage = ({ data: { seen, error } }) =>
  document.body.setAttribute(seen ? 'data-result' : 'data-error', seen ?? error);
worker.onerror = ({ message }) => document.body.setAttribute('data-error', message);
