// The main entry, `halfopen`: what `index.ts` exports, in every language. `index.ts` by itself is `halfopen/slim`, which has English.
//
// Each export that can produce a text for a user is exported here again: the same function or class, as the value of a
// call that registers the languages. A bundler drops the call if the export is not used, and with it the languages that
// nothing else needs: `{ truncate }` carries none, `{ createPolicy }` no labels of reports.

import * as english from './index.js';
import { de as deMessages } from './message/locale/de.js';
import { es as esMessages } from './message/locale/es.js';
import { fr as frMessages } from './message/locale/fr.js';
import { ja as jaMessages } from './message/locale/ja.js';
import { zh as zhMessages } from './message/locale/zh.js';
import { TEMPLATES } from './message/templates.js';
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

export * from './index.js';

export const LOCALES: typeof english.LOCALES = Object.freeze(['en', 'de', 'es', 'fr', 'ja', 'zh']);

export const AgentError = withMessages(english.AgentError);
export const CircuitBreaker = withMessages(english.CircuitBreaker);
export const EmptyResponseError = withMessages(english.EmptyResponseError);
export const InvalidStructureError = withMessages(english.InvalidStructureError);
export const MissingAttributeError = withMessages(english.MissingAttributeError);
export const NoCandidatesError = withMessages(english.NoCandidatesError);
export const NoTextError = withMessages(english.NoTextError);
export const NoToolActivityError = withMessages(english.NoToolActivityError);
export const Policy = withMessages(english.Policy);
export const ResponseError = withMessages(english.ResponseError);
export const ResponseValidationError = withMessages(english.ResponseValidationError);
export const RetryHandler = withMessages(english.RetryHandler);
export const ToolExecutionError = withMessages(english.ToolExecutionError);
export const ToolFailedError = withMessages(english.ToolFailedError);
export const ToolNotFoundError = withMessages(english.ToolNotFoundError);
export const UnexpectedTypeError = withMessages(english.UnexpectedTypeError);
export const buildExplanationPrompt = withMessages(english.buildExplanationPrompt);
export const classify = withMessages(english.classify);
export const costLimit = withMessages(english.costLimit);
export const createErrorContext = withMessages(english.createErrorContext);
export const createPolicies = withMessages(english.createPolicies);
export const createPolicy = withMessages(english.createPolicy);
export const degrade = withMessages(english.degrade);
export const ensureOk = withMessages(english.ensureOk);
export const explainClassification = withMessages(english.explainClassification);
export const failover = withMessages(english.failover);
export const formatErrorMessage = withMessages(english.formatErrorMessage);
export const getUserFriendlyMessage = withMessages(english.getUserFriendlyMessage);
export const iterationLimit = withMessages(english.iterationLimit);
export const mapErrorToCode = withMessages(english.mapErrorToCode);
export const retryAdvice = withMessages(english.retryAdvice);
export const route = withMessages(english.route);
export const toModelResponse = withMessages(english.toModelResponse);
export const toolResult = withMessages(english.toolResult);
export const ErrorNode = withMessages(withLabels(english.ErrorNode));
export const renderReport = withMessages(withLabels(english.renderReport));
export const ResponseHandler = withMessages(withStatusTexts(english.ResponseHandler));

function withMessages<V>(value: V): V {
  TEMPLATES.register({ de: deMessages, es: esMessages, fr: frMessages, ja: jaMessages, zh: zhMessages });
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
