/** The origin of a failure, for the developer of the program: class, message and place in the code. */

import { clip } from '../message/clip.js';
import { textForLog, wordsOf } from '../message/for-log.js';
import type { Failure } from './failure.js';
import { framesOf, textOf } from './stack.js';

/** The longest text of a developer's error, and the longest frame. */
const MOST_CHARACTERS = 200;
/** The longest message: status, codes and parameter, and the words behind them. */
const MOST_OF_MESSAGE = 450;

/**
 * Returns the origin for `attempt.failed`. It reads the stack, which makes the engine format it, so it is called only
 * if there is a listener.
 */
export function originOf({ error, rule, thrown }: Failure): {
  errorClass?: string;
  message?: string;
  frame?: string;
} {
  if (thrown === undefined) return {};
  const errorClass = classOf(thrown);
  // For unknown errors and faults of the program only the words help: no status or code leads further.
  const isForDeveloper = error.code === 'UNKNOWN' || rule.startsWith('program.');
  const message = isForDeveloper ? clip(wordsOf(thrown), MOST_CHARACTERS) : messageBeside(error);
  const frame = firstFrame(textOf(thrown));
  return {
    ...(errorClass !== undefined && { errorClass }),
    ...(message !== '' && { message }),
    ...(frame !== undefined && { frame: clip(textForLog(frame), MOST_CHARACTERS) }),
  };
}

/**
 * Returns the error's message if it adds to the technical details. With `messages: 'private'`, an answer's message does
 * not.
 */
function messageBeside({ message, metadata }: Failure['error']): string {
  return message === (metadata.technicalDetails ?? message) ? '' : clip(textForLog(message), MOST_OF_MESSAGE);
}

/** Returns the name of its class, or the name that it gives itself, if that looks like a class name. */
export function classOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  try {
    const { name, constructor: made } = thrown as { name?: unknown; constructor?: { name?: unknown } };
    const names = [made?.name, name].filter(isClassName).filter((one) => one !== 'Object');
    return names.find((one) => one !== 'Error') ?? names[0];
  } catch {
    return undefined; // A getter or a proxy that throws.
  }
}

// Not a literal: engines check each literal of a file that they read, and for `\p` that takes half a millisecond of the
// import.
let classNames: RegExp | undefined;

function isClassName(name: unknown): name is string {
  classNames ??= /^[\p{L}_$][\p{L}\p{N}_$.]{0,63}$/u;
  return typeof name === 'string' && classNames.test(name);
}

/**
 * The installed package, or another copy of it. If it is bundled with an application, its frames look like the
 * application's.
 */
const OWN = /[/\\]halfopen(?:@[^/\\]*)?[/\\]dist[/\\](?:esm|cjs|js)[/\\]/;
/** The file of this module, if the package is not bundled: in a folder of another name, such as a workspace's. */
const THIS_FILE = /([^\s()]*[/\\]dist[/\\](?:esm|cjs|js)[/\\])halfopen\.js/;
/** Frames of the engine and of Node itself have no file that a developer can open. */
const BUILT_IN = /\bnode:|<anonymous>\)?$|\[native code\]|^native/;

/** The folder of this file; empty if it is not known. */
let folder: string | undefined;

function isOwn(frame: string): boolean {
  folder ??= THIS_FILE.exec(framesOf(textOf(new Error()))[0] ?? '')?.[1] ?? '';
  return OWN.test(frame) || (folder !== '' && frame.includes(folder));
}

function firstFrame(stack: string): string | undefined {
  return framesOf(stack)
    .map((frame) => frame.trim().replace(/^at /, ''))
    .find((frame) => !BUILT_IN.test(frame) && !isOwn(frame));
}
