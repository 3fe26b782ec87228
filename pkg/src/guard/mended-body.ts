/** The body of a request to a model, which is changed between the attempts as their errors ask. */

import type { Exchange } from '../call/exchange.js';
import type { CallOptions } from '../call/options.js';
import type { Remedy } from '../classify/remedy.js';
import type { AgentError } from '../error/agent-error.js';
import { randomUuid } from '../event/events.js';
import type { RequestFormat } from '../repair/conversation.js';
import { isFields } from '../repair/copy.js';
import { Mended, repairing } from '../repair/mended.js';
import type { RepairOptions } from '../repair/options.js';

/** The formats by the ends of their addresses. Others are recognised by the body. */
const FORMATS: readonly [RequestFormat, RegExp][] = [
  ['openai-chat', /\/chat\/completions$/],
  ['openai-responses', /\/responses$/],
  ['anthropic', /\/messages$|:(?:stream)?rawPredict$/i],
  ['google', /:(?:stream)?generateContent$/i],
];

/** Bedrock's Converse, Cohere and Ollama: their requests look like others, and are not changed. */
const UNCHANGED = /\/converse(?:-stream)?$|\/v[12]\/chat$|\/api\/(?:chat|generate)$/;

/** Changes the body of one exchange. Nothing of it is read before an error asks for a change. */
export class MendedBody {
  readonly repair: CallOptions['repair'];
  private readonly exchange: Exchange;
  private mended: Mended<object> | undefined = undefined;

  constructor(exchange: Exchange, repair: RepairOptions | boolean | undefined) {
    this.exchange = exchange;
    this.repair = repairing(repair, (remedy, error) => this.mend(repair, remedy, error));
  }

  /** A text of the answer, in JSON, with the names of tools that the application knows. */
  known(json: string): string {
    const { mended } = this;
    if (mended?.hasRenamed !== true) return json;
    try {
      return JSON.stringify(mended.known(JSON.parse(json)));
    } catch {
      return json;
    }
  }

  get hasRenamed(): boolean {
    return this.mended?.hasRenamed === true;
  }

  private async mend(
    options: RepairOptions | boolean | undefined,
    remedy: Remedy,
    error: AgentError,
  ): Promise<boolean> {
    this.mended ??= await this.begin(options);
    const { mended, exchange } = this;
    const changes = (await mended?.repair?.(remedy, error)) ?? false;
    if (mended === undefined || changes === false) return false;
    change(exchange, JSON.stringify(mended.request));
    exchange.tried = mended.changes;
    return changes;
  }

  private async begin(options: RepairOptions | boolean | undefined): Promise<Mended<object> | undefined> {
    const { exchange } = this;
    const { input } = exchange;
    const url = input instanceof Request ? input.url : String(input);
    const { pathname } = new URL(url, 'http://localhost');
    if (UNCHANGED.test(pathname) || isSigned(exchange)) return undefined;
    const format = FORMATS.find(([, path]) => path.test(pathname))?.[0];
    try {
      const body: unknown = JSON.parse((await bodySent(exchange)) ?? '');
      return isFields(body) ? new Mended(body, options, { format }) : undefined;
    } catch {
      return undefined; // A form, or an upload.
    }
  }
}

/** The body of a request, if it is a text. */
export async function bodySent({
  input,
  init,
}: Pick<Exchange, 'input' | 'init'>): Promise<string | undefined> {
  if (typeof init?.body === 'string') return init.body;
  return input instanceof Request && init?.body == null ? input.clone().text() : undefined;
}

/** Sends another body from the next attempt on. A provider must not take it for the one before. */
function change(exchange: Exchange, body: string): void {
  const headers = headersOf(exchange);
  headers.delete('content-length');
  if (headers.has('idempotency-key')) headers.set('idempotency-key', randomUuid());
  exchange.init = { ...exchange.init, body, headers };
}

/** A signature of the body would not hold for another one: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
function isSigned(exchange: Exchange): boolean {
  return headersOf(exchange).get('authorization')?.startsWith('AWS4-') === true;
}

function headersOf({ input, init }: Exchange): Headers {
  return new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
}
