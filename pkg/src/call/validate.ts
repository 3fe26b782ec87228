/** `validate`: an application's own check of a value, or a schema that parses it. */

import { whenWords, wordsAreHere } from '../core/words.js';
import { AgentError, type AgentErrorOptions, cheapError } from '../error/agent-error.js';
import type { Failure } from '../error/failure.js';
import { copyStack } from '../error/stack.js';
import { redact } from '../message/user-message.js';
import type { Kind } from '../options.js';
import { kind } from '../options.js';

/** One complaint of a Standard Schema about a value. */
export interface SchemaIssue {
  /** The complaint, in a sentence of the schema library. */
  readonly message: string;
  /** Where: keys and indices from the value down. Absent, or empty, for the value itself. */
  readonly path?: readonly unknown[] | undefined;
}

/** The result of a Standard Schema for a value. */
export type SchemaResult<Output> = { value: Output } | { issues: readonly SchemaIssue[] };

/** https://standardschema.dev: what zod, valibot, arktype and others implement. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** The specification's own field: version, vendor, `validate`, types. See https://standardschema.dev. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Throws, or returns `false`, for a bad value. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function that only throws.
export type Check<T> = (value: T) => void | boolean | PromiseLike<void | boolean>;

export type Validate = Check<never> | StandardSchemaV1;

/** The result of the check: the value to go on with, or the error that makes it a failure. */
export type Checked<T> = { value: T } | { thrown: unknown };

/** The most characters of a schema's complaints that an error's message has. */
const MOST = 500;
/** The most complaints that are read: a large value that does not fit at all has one for each of its fields. */
const MOST_ISSUES = 20;

function isSchema(value: unknown): value is StandardSchemaV1 {
  const standard = (value as Partial<StandardSchemaV1> | null | undefined)?.['~standard'];
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function';
}

/** As an option. */
export const validateKind: Kind = kind(
  'a function, or a Standard Schema (zod, valibot, arktype)',
  (value) => typeof value === 'function' || isSchema(value),
);

/**
 * Checks a value: at once where the check answers at once. Never throws or rejects.
 *
 * A schema comes first, for those of arktype are functions too.
 */
export function checked<T>(value: T, validate: Validate): Checked<T> | Promise<Checked<T>> {
  try {
    const standard = isSchema(validate) ? validate['~standard'] : undefined;
    const said: unknown = standard === undefined ? (validate as Check<T>)(value) : standard.validate(value);
    const read = (result: unknown): Checked<T> | Promise<Checked<T>> =>
      standard === undefined ? byFunction(value, result) : bySchema(standard.vendor, result);
    if (typeof (said as Partial<PromiseLike<unknown>> | null | undefined)?.then !== 'function')
      return read(said);
    return Promise.resolve(said).then(read).catch(invalid);
  } catch (thrown) {
    return invalid(thrown);
  }
}

function invalid(thrown: unknown): { thrown: unknown } {
  return { thrown };
}

/** The codes of an error that a check of the value throws without saying more: a schema's own class of error is VALIDATION_ERROR. */
const IS_MISMATCH: ReadonlySet<string> = new Set(['UNKNOWN', 'VALIDATION_ERROR']);

/** The failure of a value that its check refused: whatever the check threw, the value is known to be wrong. */
export function asMismatch(failure: Failure, thrown: unknown): Failure {
  if (!IS_MISMATCH.has(failure.error.code) || AgentError.is(thrown)) return failure;
  const { message, provider, metadata, remedy } = failure.error;
  const error = mismatch(message, issuesIn(thrown), {
    cause: thrown,
    provider,
    metadata,
    ...(remedy !== undefined && { remedy }),
  });
  copyStack(error, failure.error);
  return { ...failure, error };
}

function byFunction<T>(value: T, verdict: unknown): Checked<T> {
  return verdict === false ? invalid(mismatch('validate answered false')) : { value };
}

function bySchema<T>(vendor: string, result: unknown): Checked<T> | Promise<Checked<T>> {
  const { issues, value } = result as { issues?: readonly SchemaIssue[]; value: T };
  if (issues === undefined) return { value };
  if (wordsAreHere()) return invalid(complaint(vendor, issues));
  return new Promise((resolve) => whenWords(() => resolve(invalid(complaint(vendor, issues)))));
}

/** The error for what a schema complains of. */
function complaint(vendor: string, issues: readonly SchemaIssue[]): AgentError {
  const complaints = redact(issues.slice(0, MOST_ISSUES).map(sentence).join('; '));
  const text = complaints.length > MOST ? `${complaints.slice(0, MOST - 1)}…` : complaints;
  return mismatch(`The value does not match the schema (${vendor}): ${text}`, issues, { cause: issues });
}

/** The error of a value that its check refused: a model can make it again, and learns which fields are wrong. */
function mismatch(
  message: string,
  issues: readonly SchemaIssue[] = [],
  { metadata, ...options }: AgentErrorOptions = {},
): AgentError {
  const paths = [...new Set(issues.slice(0, MOST_ISSUES).map(pathOf))].filter((path) => path !== '');
  return cheapError('INVALID_RESPONSE', message, {
    remedy: { kind: 'ask-again', because: 'invalid-output' },
    ...options,
    metadata: { ...metadata, ...(paths.length > 0 && { paths }) },
  });
}

/** The complaints of a schema's own error, which a check that calls the schema throws. */
function issuesIn(thrown: unknown): readonly SchemaIssue[] {
  try {
    const { issues } = thrown as { issues?: unknown };
    return Array.isArray(issues) && issues.map(pathOf).length > 0 ? issues : [];
  } catch {
    return []; // No object, a getter that throws, or a list of something else.
  }
}

/** `user.name: expected a string`. */
function sentence(issue: SchemaIssue): string {
  const path = pathOf(issue);
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

/** `user.name`. The path has keys, or objects with one. */
function pathOf({ path = [] }: SchemaIssue): string {
  return path.map((part) => String((part as { key?: unknown } | null)?.key ?? part)).join('.');
}
