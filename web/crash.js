// Says that the dashboard has stopped, when its program has: a trap leaves a page that looks alive and does nothing.
//
// Plain JavaScript beside the program: after a trap none of the program's own code can be relied on. It runs before the
// program is loaded, so that a program that does not start is noticed as well.

/** Whether the program's first view has been drawn. */
const started = () => document.querySelector('.app') !== null;

/** Whether an error that nobody caught ended the program: a trap, or a stack overflow within its code. */
function isFatal(error) {
  if (error instanceof WebAssembly.RuntimeError) return true;
  // "Maximum call stack size exceeded" is a RangeError in Chromium and Safari, an InternalError in Firefox.
  return /^(RangeError|InternalError)$/.test(error?.name) && /wasm/.test(error.stack);
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function show(error) {
  if (document.getElementById('crash') !== null) return;
  const ran = started();
  const reload = element('button', { className: 'tool strong', onclick: () => location.reload() }, 'Reload');
  const notice = element(
    'div',
    { id: 'crash', role: 'alertdialog', ariaModal: 'true' },
    element(
      'section',
      {},
      element('h2', { id: 'crash-title' }, ran ? 'The dashboard stopped' : 'The dashboard did not start'),
      element(
        'p',
        { id: 'crash-text' },
        ran
          ? 'An error in its program ended it. Reload to start it again: it shows all events that the server or the page still has. Open a file again.'
          : 'Reload to try again. If that does not help, check that its files are complete.',
      ),
      element('pre', { className: 'technical' }, String(error?.message ?? error)),
      reload,
    ),
  );
  notice.setAttribute('aria-labelledby', 'crash-title');
  notice.setAttribute('aria-describedby', 'crash-text');
  // The page below takes no more input: every key and click would run the broken program.
  for (const below of document.body.children) below.inert = true;
  for (const open of document.querySelectorAll('dialog[open]')) open.close();
  document.body.append(notice);
  reload.focus();
}

function uncaught(error) {
  if (isFatal(error) || !started()) show(error);
}

addEventListener('error', (event) => uncaught(event.error ?? event.message));
addEventListener('unhandledrejection', (event) => uncaught(event.reason));
