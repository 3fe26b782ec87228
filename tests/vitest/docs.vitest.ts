// The block of docs/platforms/tests.md that moves fake timers, unchanged.
import { readFileSync } from 'node:fs';
import { createPolicy } from 'halfopen';
import { script } from 'halfopen/testing';
import { expect, test, vi } from 'vitest';

test('the page on tests has code that runs', async () => {
  const page = readFileSync(new URL('../../docs/platforms/tests.md', import.meta.url), 'utf8');
  const [, code = ''] = /^```js\n(vi\.[\s\S]*?)^```/m.exec(page) ?? [];
  const AsyncFunction = (async () => {}).constructor as new (
    ...texts: string[]
  ) => (...given: unknown[]) => Promise<void>;
  const seen = vi.fn(expect);
  await new AsyncFunction('vi', 'expect', 'createPolicy', 'script', code)(vi, seen, createPolicy, script);
  vi.useRealTimers();
  expect(seen).toHaveBeenCalledExactlyOnceWith('fine');
});
