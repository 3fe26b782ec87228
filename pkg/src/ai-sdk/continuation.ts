/** A stream that broke off goes on: what the next attempt is sent, and how its parts join those that were delivered. */

import { AgentError } from '../error/agent-error.js';
import type { ModelCall, StreamPart } from './parts.js';
import { Repeated } from './repeated.js';

/** Models without prefill read it, and it does no harm to the others. */
const GO_ON =
  'Your answer was cut off. Continue exactly where it ends. Do not repeat any of it, and do not comment on the interruption.';

/** Parts that a second attempt may not send again: the application has acted on them already. */
const FINAL = /^(tool-|file$|source$)/;

/**
 * The same call, continued after what was delivered: the model gets its own words and the request to continue.
 *
 * @throws AgentError, not retryable, where it cannot: after a part of a tool call, and for structured output.
 */
export function continuing<P extends ModelCall>(
  params: P,
  received: readonly StreamPart[],
  resumePrompt: string = GO_ON,
): P {
  if (received.length === 0) return params;
  const { prompt, responseFormat } = params as { prompt?: unknown; responseFormat?: { type?: string } };
  const acted = received.find(({ type }) => FINAL.test(type));
  if (acted !== undefined || responseFormat?.type === 'json' || !Array.isArray(prompt)) {
    const what = acted === undefined ? 'structured output' : `a '${acted.type}' part`;
    throw new AgentError('NETWORK_ERROR', `Stream broke off and cannot be resumed after ${what}`, {
      retryable: false,
    });
  }
  const text = textIn(received);
  if (text === '') return params;
  const turns = [
    { role: 'assistant', content: [{ type: 'text', text }] },
    { role: 'user', content: [{ type: 'text', text: resumePrompt }] },
  ];
  return { ...params, prompt: [...prompt, ...turns] };
}

function textIn(parts: readonly StreamPart[]): string {
  return parts.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join('');
}

/** Joins the parts of an attempt that goes on to those before it: one preamble, and one text for the reader, without what they repeat. */
export class Joint {
  /** The blocks that were opened and not closed, by their content: `text`, `reasoning`. */
  private readonly open = new Map<string, string>();
  private text: { from: string; to: string } | undefined = undefined;
  private readonly isLater: boolean;
  private readonly repeated: Repeated;

  constructor(received: readonly StreamPart[]) {
    this.isLater = received.length > 0;
    this.repeated = new Repeated(textIn(received));
    for (const { type, id } of received) {
      const [block = '', step] = type.split('-');
      if (step === 'start' && id !== undefined) this.open.set(block, id);
      if (step === 'end') this.open.delete(block);
    }
  }

  /** The parts to deliver in place of this one. */
  joined(part: StreamPart): StreamPart[] {
    return this.isLater ? this.repeated.without(part).flatMap((one) => this.joinedPart(one)) : [part];
  }

  private joinedPart(part: StreamPart): StreamPart[] {
    const { type, id } = part;
    if (type === 'stream-start' || type === 'response-metadata') return [];
    const ended = this.endOfReasoning(type);
    const open = this.open.get('text');
    if (type === 'text-start' && open !== undefined && id !== undefined) {
      this.open.delete('text');
      this.text = { from: id, to: open };
      return ended;
    }
    if (type.startsWith('text-') && this.text !== undefined && id === this.text.from) {
      return [...ended, { ...part, id: this.text.to }];
    }
    return [...ended, part];
  }

  /** A thought that was cut off is over before anything else begins. */
  private endOfReasoning(type: string): StreamPart[] {
    const id = this.open.get('reasoning');
    if (id === undefined || type === 'raw') return [];
    this.open.delete('reasoning');
    return [{ type: 'reasoning-end', id }];
  }
}
