// The build's changes to the code that wasm-bindgen and wasm2js generate. If a tool's output has changed, each change
// fails, and names the part that it missed.
import * as esbuild from 'esbuild';

/** The text, or an error that names what is missing. */
function expectIn(text, tool, patterns) {
  for (const pattern of patterns) {
    const found = typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text);
    if (!found)
      throw new Error(
        `the output of this ${tool} has no '${pattern}': adapt scripts/generated-code.mjs to it`,
      );
  }
  return text;
}

/**
 * wasm-bindgen's glue as a function, which returns what the glue exports: each instance has a glue of its own, with its own
 * views of its own memory, and a bundler can leave out the glue of a module that is not used.
 */
export function glueAsFunction(name, glue) {
  expectIn(glue, 'wasm-bindgen', ['export function __wbg_set_wasm(', 'export function ']);
  const exported = /^export (?=(?:function|class|const|let) (\w+))/gm;
  const names = [...glue.matchAll(exported)].map(([, name]) => name);
  const body = glue.replaceAll(exported, '');
  const other = /^(?:import|export) .*/m.exec(body);
  if (other) {
    throw new Error(`this wasm-bindgen writes '${other[0]}': adapt scripts/generated-code.mjs to it`);
  }
  return `// The glue of ${name}.wasm.\nexport default () => {\n${body}return { ${names.join(', ')} };\n};\n`;
}

/** Where a translated module makes its memory, says how large it is, and grows it. */
const MADE = /^ var buffer = new ArrayBuffer\((\d+)\);$/m;
const SIZE = /^ {2}return buffer\.byteLength >> 16;$/m;
const GROWS = /^ {2}var newPages = .*$/m;
const GROWN = /^ {3}buffer = newBuffer;$/m;

/** How a translated module traps. As WebAssembly does it: an error by whose name pkg/src/core/instance.ts knows a trap. */
const TRAPS = "{ throw new Error('abort'); }";
const TRAPS_AS_WASM = "{ throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' }); }";

/** How much memory a translated module may use in all where buffers cannot be detached, as in React Native: 16 MiB. */
const RESERVED = 2 ** 24;

/**
 * A memory that grows detaches its old buffer, which tells the glue and its users to create their views again. If
 * nothing can detach a buffer, it has its full length from the beginning, and growing counts pages alone.
 */
function withDetachedBuffers(text) {
  return text
    .replace(
      MADE,
      (_, length) => ` var detaches = typeof structuredClone === 'function';
 var pages = ${length} >> 16;
 var buffer = new ArrayBuffer(detaches ? ${length} : ${RESERVED});`,
    )
    .replace(SIZE, '  return pages;')
    .replace(
      GROWS,
      (line) => `${line}
  if (!detaches) {
   if (newPages > buffer.byteLength >> 16) return -1;
   pages = newPages;
   return oldPages;
  }`,
    )
    .replace(
      GROWN,
      '   structuredClone(buffer, { transfer: [buffer] });\n   buffer = newBuffer;\n   pages = newPages;',
    );
}

/**
 * Returns wasm2js's translation of a module as a function that instantiates it when it is called; unchanged, it would
 * do so at import. `glue` is the glue of the same module.
 */
export function translatedAsFunction(translated, glue) {
  expectIn(translated, 'wasm2js', [
    'function asmFunc(',
    'var retasmFunc = ',
    TRAPS,
    MADE,
    SIZE,
    GROWS,
    GROWN,
  ]);
  const body = translated.replaceAll(/^(?:import|export) .*$/gm, '').replace(TRAPS, TRAPS_AS_WASM);
  const factory = withDetachedBuffers(body.slice(0, body.indexOf('var retasmFunc = ')));
  const names = [...factory.matchAll(/__wbindgen_externref_xform__\.(\w+)/g)].map(([, name]) => name);
  const unknown = names.filter((name) => name !== '__wbindgen_externref_statics_end');
  if (unknown.length > 0) {
    throw new Error(
      `this wasm-bindgen has another list of objects: adapt scripts/generated-code.mjs (${unknown.join(', ')})`,
    );
  }
  // A module through which no object crosses has no list of them.
  const list = /new Array\((\d+)\)\.fill\(undefined\)/;
  if (names.length > 0) expectIn(glue, 'wasm-bindgen', [list]);
  // Where the list of objects begins to be dynamic: behind undefined, null, true and false. wasm-bindgen inlines this number
  // into modules with reference types; its glue for others knows it too.
  const end = Number(list.exec(glue)?.[1] ?? -4) + 4;
  const statics = `__wbindgen_externref_xform__: { __wbindgen_externref_statics_end: () => ${end} }`;
  const whole = `${factory}\nexport const instantiate = (imports) => asmFunc({ ...imports, ${statics} });\n`;
  return esbuild.transformSync(whole, { minify: true, format: 'esm', legalComments: 'none' }).code;
}

/** The module with these entries of its `target_features` section marked as not used. */
export function withoutFeatures(module, features) {
  const bytes = Buffer.from(module);
  const number = (begin) => {
    let value = 0;
    for (let at = begin; ; at++) {
      value |= (bytes[at] & 127) << (7 * (at - begin));
      if (bytes[at] < 128) return [value >>> 0, at + 1];
    }
  };
  const text = (at) => {
    const [length, begin] = number(at);
    return [bytes.toString('utf8', begin, begin + length), begin + length];
  };
  for (let at = 8; at < bytes.length; ) {
    const [size, begin] = number(at + 1);
    const custom = bytes[at] === 0;
    at = begin + size;
    if (!custom) continue;
    const [section, list] = text(begin);
    if (section !== 'target_features') continue;
    let [count, entry] = number(list);
    for (; count > 0; count--) {
      const [feature, next] = text(entry + 1);
      if (features.includes(feature)) bytes[entry] = '-'.charCodeAt(0);
      entry = next;
    }
    return bytes;
  }
  throw new Error("this rustc writes no section 'target_features': adapt scripts/generated-code.mjs to it");
}
