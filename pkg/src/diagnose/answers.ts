/** The dashboard's second module (web/answers), which has the classifier: what it answers the page, it answers here. */

import { gunzipSync } from 'node:zlib';

/** The module's functions. It imports nothing. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  room(length: number): number;
  query(number: number): number;
  answer(): number;
}

let module: Promise<Exports> | undefined;

async function load(): Promise<Exports> {
  const { answers, files } = await import('../devtools/embed/files.js');
  const packed = files[answers];
  if (packed === undefined) throw new Error(`halfopen: the package lacks the dashboard's file ${answers}`);
  const compiled = new WebAssembly.Module(gunzipSync(Buffer.from(packed, 'base64')));
  return new WebAssembly.Instance(compiled).exports as unknown as Exports;
}

/** Returns the answer to a question, both as web/answers/src/wire.rs writes them. */
export async function answerOf(number: number, question: string): Promise<string> {
  module ??= load();
  const core = await module;
  const bytes = new TextEncoder().encode(question);
  const at = core.room(bytes.length);
  new Uint8Array(core.memory.buffer, at, bytes.length).set(bytes);
  const length = core.query(number);
  if (length < 0) throw new Error('halfopen: the module of the dashboard did not understand the question');
  return new TextDecoder().decode(new Uint8Array(core.memory.buffer, core.answer(), length));
}

/** The text of an answer that is one: its length in bytes and a colon come before it. */
export const textOf = (answer: string): string => answer.slice(answer.indexOf(':') + 1);
