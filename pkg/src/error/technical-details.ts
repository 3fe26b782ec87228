/** What an engineer needs to know about an error, as one line without secrets. */

import { textForLog, wordsOf } from '../message/for-log.js';
import type { AgentError } from './agent-error.js';
import { classOf } from './origin.js';

/**
 * The class and the text of what was thrown, then what the classification read of it. What a provider answered may quote
 * the prompt, so its text stays out.
 *
 * @internal
 */
export function technicalDetailsOf(error: AgentError): string {
  return textForLog(detailsOf(error));
}

function detailsOf(error: AgentError): string {
  const { provider, metadata } = error;
  const known = metadata.technicalDetails;
  const answered = provider.statusCode !== undefined || provider.requestId !== undefined;
  const thrown = provider.originalError;
  const text = answered ? '' : wordsOf(thrown);
  if (text === '') return known ?? error.message;
  const name = classOf(thrown);
  // Beside class and text, the class and the text say nothing more.
  const said = [name, text];
  const rest = known?.split(' · ').filter((part) => !said.includes(part)) ?? [];
  if (rest.some((part) => part.includes(text))) return known ?? text;
  return [name === undefined ? text : `${name}: ${text}`, ...rest].join(' · ');
}
