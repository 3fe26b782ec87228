// Where the modules come from when nothing else is said: they are in the package's own code, as base64.
import agentText from '../../wasm/agent/inline.js';
import errorsText from '../../wasm/errors/inline.js';
import policyText from '../../wasm/policy/inline.js';

function decode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Instantiates the module at once; compiles it on the first call only. */
function inlined(base64: string): (imports: WebAssembly.Imports) => WebAssembly.Exports {
  let compiled: WebAssembly.Module | undefined;
  return (imports) => {
    compiled ??= new WebAssembly.Module(decode(base64));
    return new WebAssembly.Instance(compiled, imports).exports;
  };
}

export const policy = /* @__PURE__ */ inlined(policyText);
export const errors = /* @__PURE__ */ inlined(errorsText);
export const agent = /* @__PURE__ */ inlined(agentText);
