// The exports that say something by themselves, with the words for it: each is the function or class of `index.ts`, as the value
// of a call that provides the words. A bundler drops the call if the export is not used, and with it the words: `{ truncate }` carries no
// words, `{ classify }` no labels of reports. A file of its own: esbuild keeps all imports of a file that it keeps a part of.

import { provideWords } from './core/words.js';
import { errors, languages } from './entry/words-now.js';
import * as english from './index.js';
import { LABELS } from './recovery/labels.js';
import { deLabels } from './recovery/locale/de.js';
import { esLabels } from './recovery/locale/es.js';
import { frLabels } from './recovery/locale/fr.js';
import { jaLabels } from './recovery/locale/ja.js';
import { zhLabels } from './recovery/locale/zh.js';
import { deStatusTexts } from './response/locale/de.js';
import { esStatusTexts } from './response/locale/es.js';
import { frStatusTexts } from './response/locale/fr.js';
import { jaStatusTexts } from './response/locale/ja.js';
import { zhStatusTexts } from './response/locale/zh.js';
import { STATUS_TEXTS } from './response/status-texts.js';

export const AgentError = withWords(english.AgentError);
export const EmptyResponseError = withWords(english.EmptyResponseError);
export const InvalidStructureError = withWords(english.InvalidStructureError);
export const MissingAttributeError = withWords(english.MissingAttributeError);
export const NoCandidatesError = withWords(english.NoCandidatesError);
export const NoTextError = withWords(english.NoTextError);
export const NoToolActivityError = withWords(english.NoToolActivityError);
export const ResponseError = withWords(english.ResponseError);
export const ResponseValidationError = withWords(english.ResponseValidationError);
export const RetryHandler = withWords(english.RetryHandler);
export const ToolExecutionError = withWords(english.ToolExecutionError);
export const ToolFailedError = withWords(english.ToolFailedError);
export const ToolNotFoundError = withWords(english.ToolNotFoundError);
export const UnexpectedTypeError = withWords(english.UnexpectedTypeError);
export const buildExplanationPrompt = withWords(english.buildExplanationPrompt);
export const classify = withWords(english.classify);
export const createErrorContext = withWords(english.createErrorContext);
export const degrade = withWords(english.degrade);
export const ensureOk = withWords(english.ensureOk);
export const explainClassification = withWords(english.explainClassification);
export const formatErrorMessage = withWords(english.formatErrorMessage);
export const getUserFriendlyMessage = withWords(english.getUserFriendlyMessage);
export const iterationLimit = withWords(english.iterationLimit);
export const mapErrorToCode = withWords(english.mapErrorToCode);
export const retryAdvice = withWords(english.retryAdvice);
export const route = withWords(english.route);
export const toHttpResponse = withWords(english.toHttpResponse);
export const toModelResponse = withWords(english.toModelResponse);
export const toolResult = withWords(english.toolResult);
export const parseRetryAfter = withErrors(english.parseRetryAfter);
export const redact = withErrors(english.redact);
export const ErrorNode = withWords(withLabels(english.ErrorNode));
export const renderReport = withWords(withLabels(english.renderReport));
export const ResponseHandler = withWords(withStatusTexts(english.ResponseHandler));

function withWords<V>(value: V): V {
  provideWords({ errors, languages });
  return value;
}

/** They say nothing in any language. */
function withErrors<V>(value: V): V {
  provideWords({ errors, languages: undefined });
  return value;
}

function withStatusTexts<V>(value: V): V {
  STATUS_TEXTS.register({
    de: deStatusTexts,
    es: esStatusTexts,
    fr: frStatusTexts,
    ja: jaStatusTexts,
    zh: zhStatusTexts,
  });
  return value;
}

function withLabels<V>(value: V): V {
  LABELS.register({ de: deLabels, es: esLabels, fr: frLabels, ja: jaLabels, zh: zhLabels });
  return value;
}
