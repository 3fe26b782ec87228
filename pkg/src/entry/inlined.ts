// How a module that is in the package's code as a text (scripts/module-text.mjs) is instantiated.
import unpacker from '../../wasm/unpacker.js';

/** The functions of the module that makes bytes of a text. */
interface Unpacker {
  readonly memory: WebAssembly.Memory;
  /** Decodes the text between two addresses to bytes, overwriting it. Returns their end. */
  unpack(begin: number, end: number): number;
}

/** Where a text begins in the unpacker's memory: behind its table. */
const BEGIN = 512;
const PAGE = 65536;

/**
 * Compiles a module.
 *
 * @throws a `CompileError` that names `halfopen/js` if there is no WebAssembly or a page's Content-Security-Policy
 * forbids it. The first use throws it, and not the import, so that the rest of a page's bundle runs.
 */
function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    const error = new Error(
      "halfopen: WebAssembly cannot be compiled here. Import from 'halfopen/js', which needs none, or add 'wasm-unsafe-eval' to script-src of the Content-Security-Policy.",
      { cause },
    );
    error.name = 'CompileError'; // without WebAssembly, its class is missing too
    throw error;
  }
}

/** The bytes of a module that is a text. */
export function unpacked(text: string): Uint8Array<ArrayBuffer> {
  const module = compile(Uint8Array.from(unpacker.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
  const { exports } = new WebAssembly.Instance(module);
  const { memory, unpack } = exports as unknown as Unpacker;
  memory.grow(Math.ceil(text.length / PAGE));
  const bytes = new Uint8Array(memory.buffer as ArrayBuffer);
  const { written } = new TextEncoder().encodeInto(text, bytes.subarray(BEGIN));
  return bytes.subarray(BEGIN, unpack(BEGIN, BEGIN + written));
}

/** Returns a function that instantiates the module with the text. It compiles the module on its first call only. */
export function inlined(text: () => string): (imports: WebAssembly.Imports) => WebAssembly.Exports {
  return compiledOnce(() => unpacked(text()));
}

/** Returns a function that instantiates the module with the bytes. It compiles the module on its first call only. */
export function compiledOnce(
  bytes: () => Uint8Array<ArrayBuffer>,
): (imports: WebAssembly.Imports) => WebAssembly.Exports {
  let compiled: WebAssembly.Module | undefined;
  return (imports) => {
    compiled ??= compile(bytes());
    return new WebAssembly.Instance(compiled, imports).exports;
  };
}
