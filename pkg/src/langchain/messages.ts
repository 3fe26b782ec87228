/** A request of LangChain's agents, seen as one of OpenAI's Chat Completions, so that it can be repaired. */

import * as langchain from 'langchain';
import { fieldsOf, isFields, sameItems, textOf } from '../repair/copy.js';
import type { View } from '../repair/mended.js';

/** The fields of a request of the agent's model that are read and written. */
export interface AgentRequest {
  readonly messages: readonly unknown[];
  readonly modelSettings?: unknown;
}

/** A field of a message that is seen, with what it was read from: a changed copy keeps it. */
const ORIGIN = 'halfopenOrigin';

const ROLES: Readonly<Record<string, string>> = {
  human: 'user',
  ai: 'assistant',
  system: 'system',
  tool: 'tool',
};

/** A view that gives back the very messages that it was read from, and new ones of LangChain's classes. */
export function messagesView<R extends AgentRequest>(): View<R> {
  return {
    read: ({ messages, modelSettings }) => ({ ...fieldsOf(modelSettings), messages: messages.map(seen) }),
    write(request, changed) {
      const { messages, ...settings } = changed as { messages: readonly unknown[] };
      const isSet = isFields(request.modelSettings);
      return {
        ...request,
        messages: messages.map((message) => asMessage(fieldsOf(message), messages)),
        ...(isSet && { modelSettings: settings }),
      };
    },
  };
}

function seen(message: unknown): unknown {
  const { type, content, tool_calls: calls, tool_call_id } = fieldsOf(message);
  const role = ROLES[String(type)];
  if (role === undefined) return message;
  return {
    role,
    content,
    ...(Array.isArray(calls) && calls.length > 0 && { tool_calls: calls.map(seenCall) }),
    ...(role === 'tool' && { tool_call_id }),
    [ORIGIN]: { message, content, calls },
  };
}

function seenCall(call: unknown): object {
  const { id, name, args } = fieldsOf(call);
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) }, [ORIGIN]: call };
}

function asMessage(message: Record<string, unknown> | object, all: readonly unknown[]): unknown {
  const { role, content, tool_calls: calls, tool_call_id, [ORIGIN]: origin } = fieldsOf(message);
  const from = fieldsOf(origin);
  if (isFields(from.message)) return changedMessage(from, { content, calls, tool_call_id });
  if (role === 'tool') {
    const id = String(tool_call_id);
    const name = nameOf(id, all);
    const named = name === undefined ? {} : { name };
    return new langchain.ToolMessage({
      content: String(content),
      tool_call_id: id,
      ...named,
      status: 'error',
    });
  }
  if (role === 'user') return new langchain.HumanMessage({ content: content as string });
  return message;
}

/** The very message, unless something of it is another now. */
function changedMessage(
  from: Readonly<Record<string, unknown>>,
  now: { content: unknown; calls: unknown; tool_call_id: unknown },
): unknown {
  const message = from.message as object;
  const before = fieldsOf(message);
  const calls = Array.isArray(now.calls) ? now.calls.map(asCall) : [];
  const old = Array.isArray(from.calls) ? from.calls : [];
  const changes = {
    ...(now.content !== from.content && { content: now.content ?? '' }),
    ...(!sameItems(calls, old) && { tool_calls: calls }),
    ...(now.tool_call_id !== before.tool_call_id && { tool_call_id: now.tool_call_id }),
  };
  if (Object.keys(changes).length === 0) return message;
  return Object.assign(Object.create(Object.getPrototypeOf(message)), message, changes);
}

function asCall(call: unknown): unknown {
  const { id, function: called, [ORIGIN]: origin } = fieldsOf(call);
  const { name } = fieldsOf(called);
  const before = fieldsOf(origin);
  return id === before.id && name === before.name ? origin : { ...before, id, name };
}

function nameOf(id: string, all: readonly unknown[]): string | undefined {
  const calls = all.flatMap((message) => {
    const { tool_calls: own } = fieldsOf(message);
    return Array.isArray(own) ? own : [];
  });
  return textOf(fieldsOf(fieldsOf(calls.find((call) => fieldsOf(call).id === id)).function).name);
}
