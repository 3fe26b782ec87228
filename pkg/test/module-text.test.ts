// How a wasm module is written into JavaScript: every byte comes back, and no character needs an escape.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: a build script, which has no types
import * as text from '../../scripts/module-text.mjs';

const tools = fileURLToPath(new URL('../../node_modules/.bin/', import.meta.url));
const binaryen = (tool: string, args: string[]) => execFileSync(tools + tool, args);

const everyByte = Buffer.from([...Array(256).keys()]);
for (const [what, module] of Object.entries({
  'every byte': everyByte,
  'a byte alone': Buffer.from([0x80]),
  'more than a page': Buffer.concat([everyByte, Buffer.alloc(70_000, 0x20), randomBytes(70_000)]),
})) {
  test(`a text becomes the bytes that it was made of: ${what}`, () => {
    const table: Uint8Array = text.tableFor([module]);
    const written: string = text.textOf(module, table);
    assert.match(written, /^[#%&(-;=-[\]^_a-~]*$/);
    const { memory, unpack } = new WebAssembly.Instance(
      new WebAssembly.Module(text.unpacker(table, binaryen)),
    ).exports as { memory: WebAssembly.Memory; unpack(begin: number, end: number): number };
    memory.grow(Math.ceil(written.length / 65536));
    const bytes = Buffer.from(memory.buffer);
    bytes.write(written, 512, 'latin1');
    assert.deepEqual(bytes.subarray(512, unpack(512, 512 + written.length)), module);
  });
}

test('the commonest bytes are a character each', () => {
  const module = Buffer.concat([Buffer.alloc(1000, 0xff), everyByte]);
  const written: string = text.textOf(module, text.tableFor([module]));
  assert.ok(written.length < 1000 + 2 * 256);
});
