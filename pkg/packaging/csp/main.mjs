// A page that may not compile WebAssembly, and imports the main entry all the same: nothing but its use fails.
import * as halfopen from 'halfopen';

function expect(what, holds) {
  if (!holds) throw new Error(what);
}

/** Returns the error that the first use of the core throws or rejects with. */
const thrownBy = async (use) => {
  try {
    await use();
  } catch (error) {
    return error;
  }
  throw new Error('WebAssembly is allowed here');
};

async function look() {
  // Functions without the core work, and so does the rest of the page.
  expect('truncate', halfopen.truncate('a text', 100) === 'a text');
  expect('isAgentError', halfopen.isAgentError(new Error('x')) === false);
  const policy = halfopen.createPolicy({ name: 'forbidden' });
  const uses = {
    execute: () => policy.execute(() => 1),
    'execute again': () => policy.execute(() => 1),
    classify: () => halfopen.classify(new Error('x')),
    redact: () => halfopen.redact('x'),
  };
  const error = {};
  for (const [name, use] of Object.entries(uses)) {
    const { message, cause } = await thrownBy(use);
    expect(`${name}: ${message}`, message.includes("'halfopen/js'") && message.includes('wasm-unsafe-eval'));
    expect(`${name}: the browser's own error is the cause`, /Content Security Policy/.test(cause.message));
    error[name] = message;
  }
  // The same page goes on with the translation.
  const translated = await import('halfopen/js');
  const failure = await translated
    .createPolicy()
    .execute(() => Promise.reject(Object.assign(new Error('no'), { status: 401 })))
    .catch((thrown) => thrown);
  expect('the translation', failure.code === 'AUTHENTICATION_ERROR');
  return error.execute;
}

look().then(
  (seen) => document.body.setAttribute('data-result', seen),
  (error) => document.body.setAttribute('data-error', String(error?.stack ?? error)),
);
