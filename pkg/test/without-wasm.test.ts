// Engines without WebAssembly, structuredClone and DOMException: an import is no error, the first use says what to import
// instead, and that works, also when its memory grows. pkg/packaging has real ones.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Returns the output of a program without these three. */
function printed(program: string): string {
  const without =
    'delete globalThis.WebAssembly; delete globalThis.structuredClone; delete globalThis.DOMException;';
  return execFileSync(process.execPath, ['--input-type=module', '--eval', `${without}\n${program}`], {
    cwd: here,
    encoding: 'utf8',
  });
}

test("'halfopen' can be imported, and its first use names 'halfopen/js'", () => {
  const seen = printed(`
    const { createPolicy, classify, truncate } = await import('halfopen');
    console.log(truncate('a text', 100));
    const policy = createPolicy({ name: 'none' });
    for (const use of [() => policy.execute(() => 1), () => classify(new Error('x'))]) {
      const error = await (async () => use())().catch((thrown) => thrown);
      console.log(error.name, error.message.includes("'halfopen/js'"), error.cause.name);
    }`);
  assert.equal(seen, 'a text\nCompileError true ReferenceError\nCompileError true ReferenceError\n');
});

test("'halfopen/js' guards calls and streams, and its memory grows", () => {
  const seen = printed(`
    const { createPolicy, classify, redact } = await import('halfopen/js');
    const policies = Array.from({ length: 3000 }, (_, n) =>
      createPolicy({ name: 'p' + n, retry: { baseDelayMs: 1 }, breaker: { window: { kind: 'count', size: 200, failureRate: 0.5 } } }));
    const answers = await Promise.all(policies.map((policy, n) => policy.execute(() => n)));
    console.log(answers.every((answer, n) => answer === n), redact('ä'.repeat(300_000)).length > 0);
    const failed = await policies[0].execute(() => { throw Object.assign(new Error('no'), { status: 401 }); }).catch((error) => error);
    console.log(failed.code, classify({ status: 429 }).code);
    const stream = policies[1].stream(async function* () { yield 1; yield 2; });
    for await (const chunk of stream) { console.log(chunk); break; }`);
  assert.equal(seen, 'true true\nAUTHENTICATION_ERROR RATE_LIMITED\n1\n');
});

test("a trap of 'halfopen/js' is one: the module starts again, and says so", () => {
  // Without structuredClone a translated module has 16 MiB. Beyond that the allocator aborts.
  const seen = printed(`
    const { classify, onEvent, redact } = await import('halfopen/js');
    onEvent((event) => { if (event.type === 'core.restarted') console.log(event.module, event.during); });
    try { redact('ä'.repeat(12_000_000)); } catch (error) { console.log(error.name, error.cause.name); }
    console.log(redact('Bearer abcdefghijklmnopqrstuvwxyz0123'), classify({ status: 429 }).code);`);
  const restarted = 'errors redactText\n';
  assert.equal(seen, `${restarted}${restarted}RangeError RuntimeError\nBearer [redacted] RATE_LIMITED\n`);
});
