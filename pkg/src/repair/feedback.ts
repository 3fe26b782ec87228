/** Tells a model why its own answer was not usable. */

import type { Remedy } from '../classify/remedy.js';
import { AgentError } from '../error/agent-error.js';
import { fieldsOf } from './copy.js';

type Because = Extract<Remedy, { kind: 'ask-again' }>['because'];

/** Each says what was wrong, then what to send; the last rows have names: of the tool that was called, of those that exist, of paths. */
export type Texts = Readonly<Record<Because | keyof Details | 'between', string>>;

/** Names of what was wrong. */
export interface Details {
  readonly called: readonly string[];
  readonly tools: readonly string[];
  readonly paths: readonly string[];
}

const NO_DETAILS: Details = { called: [], tools: [], paths: [] };
const DETAILS = ['called', 'tools', 'paths'] as const;

export const ENGLISH: Texts = {
  empty: 'Your last answer was empty. Answer the last message.',
  'invalid-json': 'Your last answer was not valid JSON. Send it again as JSON only, without any other text.',
  'invalid-output':
    'Your last answer did not have the required structure. Send it again in full, as the schema requires.',
  'invalid-arguments':
    'The arguments of your last tool call were not valid. Call the tool again with arguments that are JSON and match its schema.',
  'unknown-tool':
    'Your last answer called a tool that does not exist. Call only tools from the list, by their exact names.',
  called: 'Called: {}.',
  tools: 'Tools: {}.',
  paths: 'Wrong: {}.',
  between: ', ',
};

/** More names than these are no help. */
const MOST: Readonly<Record<keyof Details, number>> = { called: 1, tools: 40, paths: 10 };
/** Names of fields and their places, and of tools; anything else may be content. */
const PATH = /^[\p{L}\p{N}_$.[\]'"/*-]{1,200}$/u;
const TOOL = /^[\w.:/-]{1,128}$/;

/** The words for one reason; `undefined` for one that is not known. */
export function feedback(
  because: string,
  details: Details = NO_DETAILS,
  texts = ENGLISH,
): string | undefined {
  if (because in NO_DETAILS || because === 'between' || !Object.hasOwn(texts, because)) return undefined;
  const isSpaced = / $/.test(texts.between);
  const named = DETAILS.filter((name) => details[name].length > 0).map((name) =>
    texts[name].replace('{}', () => details[name].join(texts.between)),
  );
  return [texts[because as Because], ...named].join(isSpaced ? ' ' : '');
}

/** Returns the sentence for the model about an error, see `feedbackFor`. */
export function feedbackIn(error: unknown, texts: Texts = ENGLISH): string | undefined {
  try {
    const found = remedyOf(error) ?? remedyOf(AgentError.from(error));
    if (found === undefined) return undefined;
    const because = String(found.remedy.because);
    return feedback(because, { ...toolsIn(error, because), paths: pathsIn(found.metadata) }, texts);
  } catch {
    return undefined;
  }
}

function remedyOf(error: unknown) {
  const { remedy, metadata } = fieldsOf(error);
  const known = fieldsOf(remedy);
  return known.kind === 'ask-again' ? { remedy: known, metadata } : undefined;
}

function pathsIn(metadata: unknown): readonly string[] {
  return names(fieldsOf(metadata).paths, PATH, 'paths');
}

/** Errors beneath errors: a framework's, a policy's. */
const DEEPEST = 8;

/** The tools that an error names, as the AI SDK's do: the one that was called, and those that exist. */
function toolsIn(thrown: unknown, because: string): Omit<Details, 'paths'> {
  if (!/^(?:invalid-arguments|unknown-tool)$/.test(because)) return NO_DETAILS;
  let error = fieldsOf(thrown);
  for (let depth = 0; depth < DEEPEST; depth++) {
    const called = names([error.toolName], TOOL, 'called');
    if (called.length > 0) return { called, tools: names(error.availableTools, TOOL, 'tools') };
    error = fieldsOf(fieldsOf(error.provider).originalError ?? error.cause);
  }
  return NO_DETAILS;
}

function names(value: unknown, known: RegExp, of: keyof Details): readonly string[] {
  const all = Array.isArray(value) ? value : [];
  return all.filter((name) => typeof name === 'string' && known.test(name)).slice(0, MOST[of]);
}
