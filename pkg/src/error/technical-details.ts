/** An engineer's summary of an error, as one line without secrets. */

import { textForLog, wordsOf } from '../message/for-log.js';
import { type AgentError, hasOwnDetails } from './agent-error.js';
import { classOf } from './origin.js';

/**
 * Returns the class and the text of the thrown value, then the parts that the classification read. A provider's text
 * may quote the prompt, so it is left out. Details that the application wrote stay as given, without secrets.
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
  const text = answered || hasOwnDetails(error) ? '' : wordsOf(thrown);
  if (text === '') return known ?? error.message;
  const name = classOf(thrown);
  // The line has the class and the text already.
  const said = [name, text];
  const rest = known?.split(' · ').filter((part) => !said.includes(part)) ?? [];
  if (rest.some((part) => part.includes(text))) return known ?? text;
  return [name === undefined ? text : `${name}: ${text}`, ...rest].join(' · ');
}
