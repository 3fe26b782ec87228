/** What the model, the user and the program read of an act whose outcome nobody knows. */

import { AgentError, withUserMessage } from '../error/agent-error.js';

/** By language: the sentence for the user. */
const SENTENCES: Readonly<Record<string, (name: string) => string>> = {
  en: (name) =>
    `It is not known whether '${name}' was carried out. Check before it is tried again, so that it does not happen twice.`,
  de: (name) =>
    `Es ist nicht bekannt, ob „${name}“ ausgeführt wurde. Bitte prüfen Sie das, bevor es noch einmal versucht wird, damit es nicht zweimal geschieht.`,
  es: (name) =>
    `No se sabe si «${name}» se llevó a cabo. Compruébelo antes de volver a intentarlo, para que no ocurra dos veces.`,
  fr: (name) =>
    `On ne sait pas si « ${name} » a été exécuté. Vérifiez-le avant de réessayer, pour que cela n'ait pas lieu deux fois.`,
  ja: (name) =>
    `「${name}」が実行されたかどうかは不明です。二重に実行されないよう、再試行する前に確認してください。`,
  zh: (name) => `尚不清楚“${name}”是否已执行。请先核实再重试，以免重复执行。`,
};

/** The error for an act that may have happened: severity critical, not retryable. */
export function unknownError(name: string, key: string, cause?: unknown): AgentError {
  const reason = `It is not known whether ${name} was carried out`;
  const error = new AgentError(
    'TOOL_EXECUTION_ERROR',
    `${reason}. Do not try it again, and do not do the same in another way. Ask the user to check.`,
    {
      severity: 'critical',
      retryable: false,
      metadata: { safetyAbortReason: reason, effectKey: key },
      ...(cause !== undefined && { cause }),
    },
  );
  return withUserMessage(error, (locale = 'en') => {
    const language =
      String(locale)
        .trim()
        .toLowerCase()
        .split(/[-_.@]/, 1)[0] ?? '';
    const sentence = Object.hasOwn(SENTENCES, language) ? SENTENCES[language] : SENTENCES.en;
    return sentence?.(name) ?? reason;
  });
}
