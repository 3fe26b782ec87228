// The same decisions everywhere: for random inputs, the package returns the core's native results, as wasm and as
// JavaScript, each in Node, Chromium and Firefox; and so does the lab in browsers. AGREEMENT sets the number of inputs
// (10,000), AGREEMENT_SEED the seed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import * as asWasm from 'halfopen';
import * as asJavaScript from 'halfopen/js';
import { launchChromium } from '../../scripts/chromium.mjs';
import { FIREFOX, launchFirefox } from '../../scripts/firefox.mjs';
import { type Api, disagreements } from './answers.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const count = process.env.AGREEMENT ?? '10000';
const seed = process.env.AGREEMENT_SEED ?? '0';

/** Built by `cargo build --examples`. */
const native = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/examples');
const answers = execFileSync(join(native, 'agreement'), [count, seed], {
  encoding: 'utf8',
  maxBuffer: 2 ** 30,
});
const lines = answers.trimEnd().split('\n');

/** A scenario of the lab, or the hashes of what its policies decide natively. */
const lab = (name: string) => readFileSync(join(root, `tests/vectors/lab/${name}.json`), 'utf8');
const { hashes } = JSON.parse(lab('hashes')) as { hashes: Record<string, string> };

/** Runs in a page: compares one form of the package over the same lines. */
const compare = (module: string) => `
import * as api from '${module}';
import { disagreements } from ${JSON.stringify(join(root, 'tests/agreement/answers.ts'))};
window.compared = fetch('/answers')
  .then((response) => response.text())
  .then((text) => disagreements(api, text.trimEnd().split('\\n')));
`;
const SIMULATE = `
import { simulate } from 'halfopen/lab';
window.simulated = simulate(${lab('everything')}).then(({ policies }) =>
  Object.fromEntries(Object.entries(policies).map(([name, { hash }]) => [name, hash])));
`;
const SCRIPTS = { wasm: compare('halfopen') + SIMULATE, js: compare('halfopen/js') };
/** The page of the JavaScript form has no WebAssembly to fall back on. */
const HTML = {
  wasm: '<!doctype html><script type="module" src="/wasm.js"></script>',
  js: '<!doctype html><script>delete globalThis.WebAssembly</script><script type="module" src="/js.js"></script>',
};
const SIMULATED = 'window.simulated';
const COMPARED = 'window.compared';

function agree(found: readonly string[]): void {
  assert.equal(
    found.length,
    0,
    `${found.length} of ${lines.length} differ:\n${found.slice(0, 5).join('\n')}`,
  );
}

test('there is something of everything among the inputs', () => {
  assert.equal(lines.length, Number(count));
  const codes = new Set(lines.map((line) => /"is":\{"code":"(\w+)"/.exec(line)?.[1]));
  // Those that only the package itself raises, or that a model's answer leads to, are in no thrown value.
  assert.ok(codes.size > 15, [...codes].join(' '));
  for (const part of ['"redacted":', '"waitMs":null', '"retryAfterMs":null', '"retryable":true'])
    assert.ok(answers.includes(part), part);
});

test('a wrong answer is noticed', () => {
  const wrong = lines.map((line) => line.replace('"retryable":true', '"retryable":false'));
  assert.ok(disagreements(asWasm, wrong).length > 0);
});

test('what real libraries threw is classified natively as replay.test.ts has it', () => {
  const copies = ['--import', 'tsx', 'tests/tool-errors/copies.mjs'];
  const input = execFileSync(process.execPath, copies, { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync(join(native, 'recorded'), { input }); // throws its output if one is wrong
});

test('as wasm, in Node', () => agree(disagreements(asWasm, lines)));
test('as JavaScript, in Node', () => agree(disagreements(asJavaScript as Api, lines)));

/** A page of either browser. */
interface Page {
  goto(url: string): Promise<unknown>;
  waitForFunction(expression: string, argument?: undefined, options?: { timeout: number }): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
}

describe('in browsers', { concurrency: false }, () => {
  const bodies: Record<string, [type: string, body: string]> = {
    '/wasm': ['text/html', HTML.wasm],
    '/js': ['text/html', HTML.js],
    '/answers': ['text/plain; charset=utf-8', answers],
  };
  const server = createServer((request, response) => {
    const [type, body] = bodies[request.url ?? ''] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  let url = '';
  before(async () => {
    for (const [form, contents] of Object.entries(SCRIPTS)) {
      const built = await esbuild.build({
        stdin: { contents, resolveDir: join(root, 'pkg') },
        bundle: true,
        format: 'esm',
        write: false,
        external: ['node:*'],
        logOverride: { 'ignored-bare-import': 'silent' },
      });
      bodies[`/${form}.js`] = ['text/javascript', built.outputFiles[0]?.text ?? ''];
    }
    await new Promise<void>((then) => server.listen(0, '127.0.0.1', then));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  async function compareIn(page: Page, form: 'wasm' | 'js'): Promise<void> {
    await page.goto(`${url}/${form}`);
    await page.waitForFunction(COMPARED, undefined, { timeout: 0 }); // however many inputs there are
    agree((await page.evaluate(COMPARED)) as string[]);
    const hasWasm = await page.evaluate("typeof WebAssembly !== 'undefined'");
    assert.equal(hasWasm, form === 'wasm');
    if (form === 'wasm') assert.deepEqual(await page.evaluate(SIMULATED), hashes);
  }

  describe('Chromium', () => {
    let browser: Awaited<ReturnType<typeof launchChromium>>;
    before(async () => {
      browser = await launchChromium();
    });
    after(() => browser.close());
    test('as wasm, and the lab', async () => compareIn(await browser.newPage(), 'wasm'));
    test('as JavaScript', async () => compareIn(await browser.newPage(), 'js'));
  });

  const skip =
    FIREFOX === undefined && 'there is no Firefox here (FIREFOX names one; Debian has firefox-esr)';
  describe('Firefox', { skip }, () => {
    let browser: Awaited<ReturnType<typeof launchFirefox>>;
    before(async () => {
      browser = await launchFirefox();
    });
    after(() => browser.close());
    test('as wasm, and the lab', async () => compareIn(await browser.newPage(), 'wasm'));
    test('as JavaScript', async () => compareIn(await browser.newPage(), 'js'));
  });
});
