// A page whose requests go through a service worker.
async function seen() {
  await navigator.serviceWorker.register('./worker.js', { type: 'module' });
  await navigator.serviceWorker.ready;
  if (navigator.serviceWorker.controller === null)
    await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
  const response = await fetch('./seen');
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

seen().then(
  (text) => document.body.setAttribute('data-result', text),
  (error) => document.body.setAttribute('data-error', String(error?.stack ?? error)),
);
