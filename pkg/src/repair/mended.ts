/** The request of one call of a guard, which is changed between the attempts as their errors ask. */

import type { CallOptions } from '../call/options.js';
import { MOST_REPAIRS, type Repair } from '../call/repairs.js';
import { type Remedy, SAFE_REPAIRS } from '../classify/remedy.js';
import type { AgentError } from '../error/agent-error.js';
import { type AnswerOptions, Judge } from '../response/answers.js';
import { applied, edited } from './apply.js';
import { fieldsOf, isFields, sameItems } from './copy.js';
import type { DraftOptions } from './draft.js';
import { feedbackIn } from './feedback.js';
import { addUserWords } from './messages.js';
import { definedIn } from './names.js';
import type { RepairOptions } from './options.js';
import { outputLimitOf, setParameter } from './parameters.js';
import type { RepairedRequest } from './problems.js';

const LIMIT_NAMES: Readonly<Record<string, string>> = {
  'openai-chat': 'max_completion_tokens',
  'openai-responses': 'max_output_tokens',
};

/** A request of a host, seen in one of the formats that can be repaired; and written back. */
export interface View<R extends object> {
  read(request: R): object;
  write(request: R, changed: object): R;
}

/** For the options of a call, which takes the changes themselves for "true"; `undefined` if nothing is repaired. */
export function repairing(options: RepairOptions | boolean | undefined, mend: Repair): CallOptions['repair'] {
  if (options === false) return undefined;
  const { max = MOST_REPAIRS } = typeof options === 'object' ? options : {};
  return Object.assign(mend, { max }) as CallOptions['repair'];
}

export class Mended<R extends object> {
  /** As it is to be sent now. It is never altered: a repair replaces it. */
  request: R;
  /** As `repairing` has it. */
  readonly repair: CallOptions['repair'];
  /** All that was changed, in words. */
  readonly changes: string[] = [];
  /** The names of tools that the application knows, by those that the provider got instead. */
  private readonly names = new Map<string, string>();
  private readonly options: RepairOptions;
  private readonly format: DraftOptions;
  private readonly view: View<R> | undefined;

  constructor(
    request: R,
    repair: RepairOptions | boolean | undefined = true,
    format: DraftOptions = {},
    view?: View<R>,
  ) {
    this.request = request;
    this.options = typeof repair === 'object' ? repair : {};
    this.format = format;
    this.view = view;
    this.repair = repairing(repair, (remedy, error) => this.mend(remedy, error));
  }

  /** Judges the answers to the request as it is then. */
  judge(answers: AnswerOptions | undefined): Judge {
    return new Judge(answers, () => this.request);
  }

  /** The answer with the names of tools that the application knows. */
  known<A>(answer: A): A {
    return this.names.size === 0 ? answer : (renamedBack(answer, this.names) as A);
  }

  /** `true` if the provider knows tools by other names than the application. */
  get hasRenamed(): boolean {
    return this.names.size > 0;
  }

  private async mend(remedy: Remedy, error: AgentError): Promise<readonly string[] | false> {
    if (!this.allows(remedy)) return false;
    const next = await this.changed(remedy, error);
    if (next === undefined) return false;
    this.note(next.request);
    this.request = next.request;
    this.changes.push(...next.changes);
    return next.changes;
  }

  private allows({ kind }: Remedy): boolean {
    const { only = SAFE_REPAIRS, shorten, outputLimit } = this.options;
    if (kind === 'shorten') return shorten !== undefined;
    return only.includes(kind) || (kind === 'raise-output-limit' && outputLimit !== undefined);
  }

  private async changed(remedy: Remedy, error: AgentError): Promise<RepairedRequest<R> | undefined> {
    const { request, view, options } = this;
    if (remedy.kind === 'shorten') {
      const { limit, sent } = remedy;
      const need = { ...(limit !== undefined && { limit }), ...(sent !== undefined && { sent }) };
      const shorter: unknown = await options.shorten?.(request, need);
      if (!isFields(shorter) || shorter === request) return undefined;
      return { request: shorter as R, changes: ['shortened the conversation'] };
    }
    // The same request: there is nothing to tell the model about.
    if (remedy.kind === 'ask-again' && remedy.because === 'empty')
      return { request, changes: ['asked again'] };
    if (view === undefined) return this.repaired(request, remedy, error);
    const seen = view.read(request);
    const next = this.repaired(seen, remedy, error);
    return next && { request: view.write(request, next.request), changes: next.changes };
  }

  private repaired<T extends object>(
    request: T,
    remedy: Remedy,
    error: AgentError,
  ): RepairedRequest<T> | undefined {
    const { format, options } = this;
    const { outputLimit } = options;
    // Names in the conversation alone would be those of no tool.
    if (remedy.kind === 'rename-tools' && fieldsOf(request).tools === undefined && this.view !== undefined)
      return undefined;
    if (remedy.kind === 'ask-again') {
      const text = feedbackIn(error);
      return text === undefined ? undefined : edited(request, format, (draft) => addUserWords(draft, text));
    }
    if (remedy.kind !== 'raise-output-limit' || outputLimit === undefined)
      return applied(request, remedy, format);
    return edited(request, format, (draft) => {
      const present = outputLimitOf(draft.request, draft.format);
      const limit = outputLimit(present?.value);
      const name = present?.name ?? LIMIT_NAMES[draft.format.name] ?? 'max_tokens';
      const next = limit === undefined ? undefined : setParameter(draft.request, name, limit, draft.format);
      if (next === undefined) return;
      draft.request = next.request;
      draft.notes.push({ remedy, at: name, change: next.change });
    });
  }

  /** Remembers the tools that have other names in the next request. */
  private note(next: R): void {
    const [before, after] = [this.toolsOf(this.request), this.toolsOf(next)];
    for (const [index, name] of after.entries()) {
      const old = before[index];
      if (old !== undefined && old !== name) this.names.set(name, this.names.get(old) ?? old);
    }
  }

  private toolsOf(request: R): readonly string[] {
    const fields = fieldsOf(this.view?.read(request) ?? request);
    return definedIn(fields.tools ?? fieldsOf(fields.config).tools);
  }
}

/** The arguments of a call may have a field of any name. */
const ARGUMENTS = /^(?:arguments|args|input)$/;

/** An answer, or a part of one, whose tool calls have the old names: the same object if it has no new ones. */
function renamedBack(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => renamedBack(item, names));
    return sameItems(items, value) ? value : items;
  }
  if (!isFields(value)) return value;
  const changes = Object.entries(value).flatMap(([key, field]) => {
    const isName = key === 'name' || key === 'toolName';
    const next = isName ? (names.get(String(field)) ?? field) : renamedBack(field, names);
    return next === field || ARGUMENTS.test(key) ? [] : [[key, next]];
  });
  return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) };
}
