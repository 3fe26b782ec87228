/**
 * The tools of the rehearsal, whose effects are real to it: `refund` and `send_mail` write to a ledger.
 *
 * A request with an `Idempotency-Key` that was seen before gets the first result and has no further effect
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
 */
import type { Any } from './rules/shared.js';

/** Something that a tool did and that cannot be undone. */
export interface Effect {
  /** The tool's name. */
  readonly tool: string;
  /** Its arguments, as the agent sent them. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Milliseconds since the rehearsal began. */
  readonly at: number;
}

/** The order of every task. */
export const ORDER = '1001';
export const RECEIPT = 'R-7731';
export const MAIL = 'M-2094';
export const FACT = 'F-3310';

export const TOOLS = [
  {
    name: 'find_order',
    description: 'Finds an order and says whether it was refunded.',
    inputSchema: {
      type: 'object',
      properties: { order_id: { type: 'string' } },
      required: ['order_id'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'refund',
    description: 'Refunds an order. Money moves at each call without a known Idempotency-Key.',
    inputSchema: {
      type: 'object',
      properties: { order_id: { type: 'string' }, amount: { type: 'number' } },
      required: ['order_id', 'amount'],
    },
    annotations: { destructiveHint: true },
  },
  {
    name: 'send_mail',
    description: 'Sends a mail to the customer.',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'string' }, text: { type: 'string' } },
      required: ['to', 'text'],
    },
    annotations: { destructiveHint: true },
  },
  {
    name: 'search',
    description: 'Searches the help pages.',
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    annotations: { readOnlyHint: true },
  },
] as const;

/** What each task calls a tool with. */
export const ARGUMENTS: Readonly<Record<string, object>> = {
  find_order: { order_id: ORDER },
  refund: { order_id: ORDER, amount: 42 },
  send_mail: { to: 'jo@example.com', text: `Order ${ORDER} was refunded.` },
  search: { query: 'how long does a refund take' },
};

export class ToolBox {
  readonly effects: Effect[] = [];
  readonly #results = new Map<string, object>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The first mistake in the arguments of a call. */
  fault(name: string, args: Any): string | undefined {
    const tool = TOOLS.find((one) => one.name === name);
    if (tool === undefined) return `unknown tool: ${name}`;
    const missing = tool.inputSchema.required.find((key) => args?.[key] === undefined);
    return missing === undefined ? undefined : `missing argument: ${missing}`;
  }

  /** Carries a call out, once for each key. */
  run(name: string, args: Any, key: string | undefined): object {
    const known = key === undefined ? undefined : this.#results.get(`${name} ${key}`);
    if (known !== undefined) return known;
    const result = this.#act(name, args);
    if (key !== undefined) this.#results.set(`${name} ${key}`, result);
    return result;
  }

  #act(tool: string, args: Any): object {
    if (tool === 'refund' || tool === 'send_mail') this.effects.push({ tool, args, at: this.#now() });
    const did = (name: string) => this.effects.some((effect) => effect.tool === name);
    switch (tool) {
      case 'find_order':
        return {
          order_id: args.order_id,
          state: 'delivered damaged',
          price: 42,
          customer: 'jo@example.com',
          refunded: did('refund'),
          ...(did('refund') && { receipt: RECEIPT }),
          mailed: did('send_mail'),
          ...(did('send_mail') && { mail: MAIL }),
        };
      case 'refund':
        return { ok: true, receipt: RECEIPT };
      case 'send_mail':
        return { ok: true, mail: MAIL };
      default:
        return { hits: [{ id: FACT, text: 'A refund takes three working days.' }] };
    }
  }
}
