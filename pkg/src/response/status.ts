/** The status lines that a user sees while an answer comes in, and the sentences instead of an answer's text. */

import { STATUS_TEXTS } from './status-texts.js';

/** An answer without text that called tools, as the core describes it. */
export interface ToolsOnly {
  /** How it arrived: whole or as a stream. */
  tools: 'whole' | 'streamed';
  /** The tool of the last call of a stream, if it has a name. */
  tool?: string;
}

/** The line before a request goes out. */
export function sendingLine(locale: string): string {
  return STATUS_TEXTS.of(locale).sending;
}

/** The line when a tool's call begins. */
export function toolLine(tool: string, locale: string): string {
  return STATUS_TEXTS.of(locale).using.replace('{tool}', () => tool);
}

/** The line of an exchange that failed with an `empty` response, an `invalid` one, or otherwise. */
export function failureLine(how: 'empty' | 'invalid' | 'otherwise', message: string, locale: string): string {
  if (how === 'empty') return `⚠️ ${message}`;
  if (how === 'invalid') return `❌ ${message}`;
  return STATUS_TEXTS.of(locale).failed.replace('{detail}', () => message);
}

/** The sentence instead of the text of an answer that only called tools. */
export function insteadOfText({ tools, tool }: ToolsOnly, locale: string): string {
  const { completed, executed, analysed } = STATUS_TEXTS.of(locale);
  if (tools === 'whole') return completed;
  return tool === undefined ? analysed : executed.replace('{tool}', () => tool);
}
