// How the core's modules are written into JavaScript: as a text of which gzip makes what it makes of the module itself (of
// hexadecimal 1.1 of it, of base64 1.25). The commonest bytes are a character each, the others two, the first of which is one
// of the two PREFIXES. A module of 400 bytes makes bytes of it again: JavaScript that has not run before takes 15 ms for
// what it does in one.
//
// The characters are those that neither JavaScript nor HTML ever escapes in a text.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The first of the characters, and how many codes they are, with those that are left out. */
const FIRST = '#'.charCodeAt(0);
const CODES = '~'.charCodeAt(0) - FIRST + 1;
const PREFIXES = 2;
/** A byte's index in the table is the number of its character; each prefix has the same number of pairs. */
const SINGLES = CODES - PREFIXES;
const LEFT_OUT = ['$', "'", '<', '\\', '`'].map((character) => character.charCodeAt(0) - FIRST);

/** The indexes of the table at which a byte can be, those of one character first. */
const PLACES = [...Array(SINGLES + PREFIXES * CODES).keys()].filter(
  (place) => !LEFT_OUT.includes(place < SINGLES ? place : (place - SINGLES) % CODES),
);

/** Returns the table for these modules: the byte at each index. */
export function tableFor(modules) {
  const counts = new Array(256).fill(0);
  for (const module of modules) for (const byte of module) counts[byte] += 1;
  const table = new Uint8Array(SINGLES + PREFIXES * CODES);
  const byFrequency = [...counts.keys()].sort((a, b) => counts[b] - counts[a]);
  for (const [index, byte] of byFrequency.entries()) table[PLACES[index]] = byte;
  return table;
}

/** A module as text. */
export function textOf(module, table) {
  const character = (code) => String.fromCharCode(FIRST + code);
  const ofByte = [];
  for (const place of PLACES.slice(0, 256)) {
    const pair = place - SINGLES;
    ofByte[table[place]] =
      pair < 0 ? character(place) : character(SINGLES + Math.floor(pair / CODES)) + character(pair % CODES);
  }
  return Array.from(module, (byte) => ofByte[byte]).join('');
}

/**
 * The module that makes bytes of a text in its memory: `unpack(begin, end)` writes them over the text, from `begin` on, and
 * returns their end. `run` runs a tool of binaryen.
 */
export function unpacker(table, run = execFileSync) {
  const hex = Array.from(table, (byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');
  const folder = mkdtempSync(join(tmpdir(), 'unpack-'));
  const [source, module] = [join(folder, 'unpack.wat'), join(folder, 'unpack.wasm')];
  writeFileSync(
    source,
    `(module
      (memory (export "memory") 1)
      (data (i32.const 0) "${hex}")
      (func (export "unpack") (param $in i32) (param $end i32) (result i32)
        (local $out i32) (local $place i32)
        (local.set $out (local.get $in))
        (loop $next
          (local.set $place (i32.sub (i32.load8_u (local.get $in)) (i32.const ${FIRST})))
          (if (i32.ge_u (local.get $place) (i32.const ${SINGLES})) (then
            (local.set $in (i32.add (local.get $in) (i32.const 1)))
            (local.set $place (i32.add
              (i32.mul (i32.sub (local.get $place) (i32.const ${SINGLES})) (i32.const ${CODES}))
              (i32.add (i32.load8_u (local.get $in)) (i32.const ${SINGLES - FIRST}))))))
          (i32.store8 (local.get $out) (i32.load8_u (local.get $place)))
          (local.set $in (i32.add (local.get $in) (i32.const 1)))
          (local.set $out (i32.add (local.get $out) (i32.const 1)))
          (br_if $next (i32.lt_u (local.get $in) (local.get $end))))
        (local.get $out)))`,
  );
  try {
    run('wasm-as', [source, '-o', module]);
    return readFileSync(module);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
