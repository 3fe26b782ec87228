/**
 * Parameters of a request, found by the name that a provider uses in its error: without regard to case, `_` and `-`, also
 * below `config` and `generationConfig`, and by the names of another format.
 */

import type { Format, RequestFormat } from './conversation.js';
import { type Fields, fieldsOf, isFields, withFields } from './copy.js';

/** Never changed as a parameter: the conversation, the model and the tools. */
const PROTECTED = new Set(
  'messages message input contents content prompt model tools tool functions system systeminstruction instructions conversation previousresponseid'.split(
    ' ',
  ),
);

/** The names of parameters in other formats, without case, `_` and `-`. */
const ALIASES: readonly (readonly string[])[] = [
  ['maxoutputtokens', 'maxtokens', 'maxcompletiontokens'],
  ['stopsequences', 'stop'],
  ['responseformat', 'textformat'],
];
/** The formats that have a name of their own for these; the others have what their provider says. */
const RENAMES: readonly RequestFormat[] = ['ai-sdk', 'google'];

const CONTAINERS = ['config', 'generationConfig', 'generation_config'];
const UNSAFE = new Set(['__proto__', 'prototype', 'constructor']);

/** The names of the limit of the answer's length, the format's newest first. */
const LIMITS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'];

const plain = (name: string) => name.toLowerCase().replace(/[_-]/g, '');
const segmentsOf = (name: string) => name.split(/[.[\]]+/).filter((segment) => segment !== '');

export interface Changed {
  readonly request: Fields;
  readonly change: string;
}

type Path = readonly string[];

export function dropParameter(request: Fields, name: string, format: Format): Changed | undefined {
  const path = located(request, name, format);
  if (path === undefined) return undefined;
  return { request: withValue(request, path, undefined), change: `removed \`${path.join('.')}\`` };
}

export function setParameter(
  request: Fields,
  name: string,
  value: unknown,
  format: Format,
): Changed | undefined {
  if (!/^(?:number|string|boolean)$/.test(typeof value)) return undefined;
  const path = located(request, name, format) ?? placeFor(request, name, format);
  if (path === undefined || valueAt(request, path) === value) return undefined;
  return {
    request: withValue(request, path, value),
    change: `set \`${path.join('.')}\` to ${JSON.stringify(value)}`,
  };
}

export function renameParameter(
  request: Fields,
  from: string,
  to: string,
  format: Format,
): Changed | undefined {
  const path = located(request, from, format);
  if (path === undefined || isProtected(segmentsOf(to))) return undefined;
  if (RENAMES.includes(format.name) && aliasOf(plain(from)) === aliasOf(plain(to))) return undefined;
  const present = located(request, to, format);
  const target = present ?? [...path.slice(0, -1), ...spelledAs(segmentsOf(to), path.at(-1) ?? '')];
  if (target.some((segment) => UNSAFE.has(segment)) || target.join() === path.join()) return undefined;
  const value = valueAt(request, path);
  const without = withValue(request, path, undefined);
  return {
    request: present === undefined ? withValue(without, target, value) : without,
    change: `renamed \`${path.join('.')}\` to \`${target.join('.')}\``,
  };
}

/** Returns the limit of the answer's length with its name; `undefined` without one. */
export function outputLimitOf(request: Fields, format: Format): { name: string; value: number } | undefined {
  for (const name of LIMITS) {
    const path = located(request, name, format);
    const value = path === undefined ? undefined : valueAt(request, path);
    if (typeof value === 'number' && Number.isFinite(value)) return { name, value };
  }
  return undefined;
}

function isProtected(segments: readonly string[]): boolean {
  return (
    segments.length === 0 || segments.some((segment) => PROTECTED.has(plain(segment)) || UNSAFE.has(segment))
  );
}

/** The path of a parameter that is there. */
function located(request: Fields, name: string, format: Format): Path | undefined {
  const segments = segmentsOf(name);
  if (isProtected(segments)) return undefined;
  const roots = rootsOf(request, format);
  // "generation_config.temperature" and "GenerateContentRequest.temperature" begin with a name that the request may not have.
  for (let skipped = 0; skipped < segments.length; skipped += 1) {
    const rest = segments.slice(skipped);
    for (const root of roots) {
      const path = descend(valueAt(request, root), rest, format);
      if (path !== undefined) return [...root, ...path];
    }
    if (format.name !== 'google') break;
  }
  // 'reasoning.effort' of OpenAI is `reasoningEffort` in the AI SDK.
  const joined = segments.join('');
  if (format.name !== 'ai-sdk' || segments.length < 2 || isProtected([joined])) return undefined;
  return roots
    .map((root) => [root, descend(valueAt(request, root), [joined], format)] as const)
    .flatMap(([root, path]) => (path === undefined ? [] : [[...root, ...path]]))[0];
}

/** Returns the objects that may hold parameters. */
function rootsOf(request: Fields, format: Format): Path[] {
  const containers = CONTAINERS.filter((key) => isFields(request[key])).map((key) => [key]);
  const options = format.name === 'ai-sdk' ? fieldsOf(request.providerOptions) : {};
  const providers = Object.keys(options).map((provider) => ['providerOptions', provider]);
  return [[], ...containers, ...providers];
}

function descend(
  value: unknown,
  [segment = '', ...rest]: readonly string[],
  format: Format,
): Path | undefined {
  if (!isFields(value)) return undefined;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined && !PROTECTED.has(plain(key)));
  const wanted = plain(segment);
  const alias = RENAMES.includes(format.name) ? aliasOf(wanted) : wanted;
  const key =
    keys.find((one) => one === segment) ??
    keys.find((one) => plain(one) === wanted) ??
    keys.find((one) => plain(one) === alias);
  if (key === undefined) return undefined;
  if (rest.length === 0) return [key];
  const path = descend(value[key], rest, format);
  return path === undefined ? undefined : [key, ...path];
}

const aliasOf = (name: string) => ALIASES.find((names) => names.includes(name))?.[0] ?? name;

/** Where a parameter goes that is not there: below the container that the request has, in the format's spelling. */
function placeFor(request: Fields, name: string, format: Format): Path | undefined {
  const segments = segmentsOf(name);
  if (isProtected(segments) || segments.some((segment) => /^\d+$/.test(segment))) return undefined;
  if (format.name === 'openai-chat' || format.name === 'openai-responses' || format.name === 'anthropic')
    return segments;
  const bare = CONTAINERS.some((key) => plain(key) === plain(segments[0] ?? ''))
    ? segments.slice(1)
    : segments;
  const own = bare.map((segment) =>
    aliasOf(plain(segment)) === 'maxoutputtokens' ? 'maxOutputTokens' : camel(segment),
  );
  if (own.length === 0) return undefined;
  if (format.name === 'ai-sdk') return own;
  return [CONTAINERS.find((key) => isFields(request[key])) ?? 'generationConfig', ...own];
}

const camel = (name: string) => name.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A new name in the spelling of the old one. */
function spelledAs(segments: readonly string[], old: string): readonly string[] {
  return /[a-z][A-Z]/.test(old) ? segments.map(camel) : segments;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((inner: unknown, key) => fieldsOf(inner)[key], value);
}

function withValue(value: Fields, [key = '', ...rest]: Path, next: unknown): Fields {
  if (rest.length === 0) return withFields(value, { [key]: next });
  return withFields(value, { [key]: withValue(fieldsOf(value[key]), rest, next) });
}
