/** A schema's complaints, for the model that made the value: paths and expectations, nothing of the value itself. */

/** Errors of frameworks that say of a tool's arguments that they do not fit. */
const ABOUT_ARGUMENTS =
  /^(?:AI_)?(?:InvalidToolInputError|InvalidToolArgumentsError|ToolInvocationError|ToolInputParsingException)$/;
/** Errors beneath errors: a framework's, a wrapper's, the schema's. */
const DEEPEST = 8;
/** More complaints than these are no help. */
const MOST_COMPLAINTS = 10;
/** Allowed values: an enumeration of countries is too long to repeat. */
const MOST_VALUES = 20;
export const MOST_CHARACTERS = 1000;
/** Names of fields and their places; anything else may be content. */
const NAME = /^[\p{L}\p{N}_$.[\]'"/*@-]{1,100}$/u;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns in a sentence for the model what does not fit, if that was thrown: the errors of zod, valibot, arktype, ajv and of every
 * Standard Schema, also beneath those of the AI SDK, LangChain and policies. Never throws.
 */
export function mismatchIn(thrown: unknown): string | undefined {
  try {
    let isAboutArguments = false;
    let error = thrown;
    for (let depth = 0; depth < DEEPEST && typeof error === 'object' && error !== null; depth++) {
      const fields = error as Fields;
      isAboutArguments ||= ABOUT_ARGUMENTS.test(String(fields.name ?? ''));
      if (isAboutArguments && /JSONParse|SyntaxError/.test(String(fields.name))) return NO_JSON;
      const complaints = complaintsOf(fields);
      if (complaints.length > 0) return sentence(complaints, isAboutArguments);
      error = (fields.provider as Fields | undefined)?.originalError ?? fields.toolError ?? fields.cause;
    }
  } catch {
    // A getter or a proxy that throws: the error speaks for itself.
  }
  return undefined;
}

/** A schema's complaints as a sentence about a tool's arguments; `undefined` without any. Never throws. */
export function argumentsMismatch(issues: unknown): string | undefined {
  try {
    const complaints = Array.isArray(issues) ? complaintsIn(issues) : [];
    return complaints.length === 0 ? undefined : sentence(complaints, true);
  } catch {
    return undefined;
  }
}

const NO_JSON = 'The arguments are not JSON. Call the tool again with arguments that are JSON.';

function sentence(complaints: readonly string[], isAboutArguments: boolean): string {
  const shown = complaints.slice(0, MOST_COMPLAINTS);
  if (complaints.length > shown.length) shown.push(`${complaints.length - shown.length} more`);
  const text = shown.join('; ').slice(0, MOST_CHARACTERS);
  return isAboutArguments
    ? `The arguments do not fit the tool: ${text}. Call it again with arguments that do.`
    : text;
}

function complaintsOf({ issues, errors, arkErrors }: Fields): string[] {
  const list = [issues, arkErrors, errors].find(
    (value) => Array.isArray(value) && value.length > 0 && value.every(isIssue),
  );
  return list === undefined ? [] : complaintsIn(list as readonly unknown[]);
}

/** Not the errors of an aggregate, which have neither path nor place. */
function isIssue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { path, instancePath, message } = value as Fields;
  const isValibot = 'kind' in value && 'expected' in value;
  return (
    typeof message === 'string' && (Array.isArray(path) || typeof instancePath === 'string' || isValibot)
  );
}

const complaintsIn = (issues: readonly unknown[]): string[] => [
  ...new Set(issues.map((issue) => complaint(issue as Fields))),
];

function complaint(issue: Fields): string {
  const path = pathOf(issue);
  const expected = expectationOf(issue);
  return path === '' ? expected : `${path}: ${expected}`;
}

function pathOf({ path, instancePath }: Fields): string {
  const keys = Array.isArray(path)
    ? path.map((part) => (part as Fields | null)?.key ?? part)
    : String(instancePath ?? '')
        .split('/')
        .slice(1)
        .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys
    .map((key) => String(key))
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : NAME.test(key) ? `.${key}` : '.…'))
    .join('')
    .replace(/^\./, '');
}

function expectationOf(issue: Fields): string {
  return byZod(issue) ?? byAjv(issue) ?? byExpected(issue) ?? inWords(issue.message);
}

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' items', set: ' items' };

function byZod(issue: Fields): string | undefined {
  const { code, expected, maximum, minimum, inclusive, keys, divisor } = issue;
  const unit = UNITS[String(issue.origin ?? issue.type)] ?? '';
  const values = issue.values ?? issue.options;
  switch (code) {
    case 'invalid_type':
      return `expected ${expected}`;
    case 'too_big':
      return `expected ${inclusive === false ? 'less than' : 'at most'} ${maximum}${unit}`;
    case 'too_small':
      return `expected ${inclusive === false ? 'more than' : 'at least'} ${minimum}${unit}`;
    case 'not_multiple_of':
      return `expected a multiple of ${divisor ?? issue.multipleOf}`;
    case 'invalid_format':
    case 'invalid_string':
      return `expected a valid ${nameOf(issue.format ?? issue.validation)}`;
    case 'invalid_value':
    case 'invalid_enum_value':
    case 'invalid_union_discriminator':
      return oneOf(values);
    case 'invalid_literal':
      return oneOf([expected]);
    case 'unrecognized_keys':
      return `has fields that are not known: ${named(keys)}`;
    case 'invalid_union':
      return 'fits none of the alternatives';
    default:
      return undefined;
  }
}

function byAjv({ instancePath, keyword, params, message }: Fields): string | undefined {
  if (typeof instancePath !== 'string' || typeof params !== 'object' || params === null) return undefined;
  const { allowedValues, allowedValue, additionalProperty } = params as Fields;
  if (keyword === 'enum') return oneOf(allowedValues);
  if (keyword === 'const') return oneOf([allowedValue]);
  if (additionalProperty !== undefined)
    return `has fields that are not known: ${named([additionalProperty])}`;
  return String(message);
}

/** Valibot and arktype name what they expected; if it is missing, valibot names the check. */
function byExpected({ expected, kind, type }: Fields): string | undefined {
  const isNamed = typeof expected === 'string' && expected !== '';
  if (kind !== 'schema' && kind !== 'validation')
    return isNamed ? `expected ${inWords(expected).replace(/^.* must be /s, '')}` : undefined;
  return `expected ${isNamed ? expected : `a valid ${nameOf(type)}`}`;
}

/** A schema's sentence speaks of the value from here on. */
const OF_VALUE = /\b(?:received|got|was|found)\b/i;

/**
 * A schema's sentence, without what it says of the value. The value may be long, and is the model's: no expression that
 * searches it again from each of its places.
 */
function inWords(message: unknown): string {
  const words = String(message);
  const at = words.search(OF_VALUE);
  const said = at < 0 ? words : withoutEnd(words.slice(0, at));
  return said.trim() === '' ? 'does not fit' : said.trim();
}

/** Without what leads over to the value: ", but". */
function withoutEnd(text: string): string {
  const before = (/but $/i.test(text.slice(-4)) ? text.slice(0, -4) : text).trimEnd();
  return /[,;:.(]$/.test(before.slice(-1)) ? before.slice(0, -1) : before;
}

function oneOf(values: unknown): string {
  const all = Array.isArray(values) ? values : [];
  const shown = all.slice(0, MOST_VALUES).map((value) => JSON.stringify(value) ?? String(value));
  if (all.length > MOST_VALUES) shown.push(`${all.length - MOST_VALUES} others`);
  return shown.length === 1 ? `expected ${shown[0]}` : `expected one of ${shown.join(', ')}`;
}

function named(keys: unknown): string {
  const all = Array.isArray(keys) ? keys.map(String) : [];
  return all
    .slice(0, MOST_VALUES)
    .map((key) => (NAME.test(key) ? key : '…'))
    .join(', ');
}

const nameOf = (format: unknown) => (typeof format === 'string' ? format.replaceAll('_', ' ') : 'value');
