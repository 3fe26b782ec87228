/** Feedback for a model in other languages than English. Guards speak English, and do not carry these. */

import { ENGLISH, feedbackIn, type Texts } from './feedback.js';

const TEXTS: Readonly<Record<string, Texts>> = {
  de: {
    empty: 'Ihre letzte Antwort war leer. Beantworten Sie die letzte Nachricht.',
    'invalid-json':
      'Ihre letzte Antwort war kein gültiges JSON. Senden Sie sie noch einmal, nur als JSON und ohne weiteren Text.',
    'invalid-output':
      'Ihre letzte Antwort hatte nicht die verlangte Struktur. Senden Sie sie vollständig noch einmal, wie es das Schema verlangt.',
    'invalid-arguments':
      'Die Argumente Ihres letzten Tool-Aufrufs waren ungültig. Rufen Sie das Tool noch einmal auf, mit Argumenten, die JSON sind und seinem Schema entsprechen.',
    'unknown-tool':
      'Ihre letzte Antwort hat ein Tool aufgerufen, das es nicht gibt. Rufen Sie nur Tools aus der Liste auf, mit ihrem genauen Namen.',
    called: 'Aufgerufen: {}.',
    tools: 'Tools: {}.',
    paths: 'Falsch: {}.',
    between: ', ',
  },
  es: {
    empty: 'Su última respuesta estaba vacía. Responda al último mensaje.',
    'invalid-json':
      'Su última respuesta no era un JSON válido. Envíela de nuevo solo como JSON, sin ningún otro texto.',
    'invalid-output':
      'Su última respuesta no tenía la estructura requerida. Envíela de nuevo completa, tal como exige el esquema.',
    'invalid-arguments':
      'Los argumentos de su última llamada a una herramienta no eran válidos. Llámela de nuevo con argumentos que sean JSON y cumplan su esquema.',
    'unknown-tool':
      'Su última respuesta llamó a una herramienta que no existe. Llame solo a herramientas de la lista, por su nombre exacto.',
    called: 'Llamada: {}.',
    tools: 'Herramientas: {}.',
    paths: 'Incorrecto: {}.',
    between: ', ',
  },
  fr: {
    empty: 'Votre dernière réponse était vide. Répondez au dernier message.',
    'invalid-json':
      'Votre dernière réponse n’était pas du JSON valide. Renvoyez-la uniquement en JSON, sans aucun autre texte.',
    'invalid-output':
      'Votre dernière réponse n’avait pas la structure requise. Renvoyez-la en entier, conformément au schéma.',
    'invalid-arguments':
      'Les arguments de votre dernier appel d’outil n’étaient pas valides. Appelez de nouveau l’outil avec des arguments en JSON conformes à son schéma.',
    'unknown-tool':
      'Votre dernière réponse a appelé un outil qui n’existe pas. N’appelez que des outils de la liste, par leur nom exact.',
    called: 'Appelé : {}.',
    tools: 'Outils : {}.',
    paths: 'Incorrect : {}.',
    between: ', ',
  },
  ja: {
    empty: '前回の回答は空でした。最後のメッセージに回答してください。',
    'invalid-json':
      '前回の回答は有効なJSONではありませんでした。ほかの文章を付けず、JSONだけでもう一度送ってください。',
    'invalid-output':
      '前回の回答は求められた構造になっていませんでした。スキーマに従い、全体をもう一度送ってください。',
    'invalid-arguments':
      '前回のツール呼び出しの引数が無効でした。スキーマに合うJSONの引数で、そのツールをもう一度呼び出してください。',
    'unknown-tool':
      '前回の回答は存在しないツールを呼び出しました。一覧にあるツールだけを、正確な名前で呼び出してください。',
    called: '呼び出し：{}。',
    tools: 'ツール：{}。',
    paths: '誤り：{}。',
    between: '、',
  },
  zh: {
    empty: '您上一次的回答是空的。请回答最后一条消息。',
    'invalid-json': '您上一次的回答不是有效的 JSON。请重新发送，只发送 JSON，不要附带其他文字。',
    'invalid-output': '您上一次的回答不符合要求的结构。请按照模式重新发送完整的回答。',
    'invalid-arguments': '您上一次工具调用的参数无效。请再次调用该工具，参数须为 JSON 并符合其模式。',
    'unknown-tool': '您上一次的回答调用了不存在的工具。请只调用列表中的工具，并使用其准确名称。',
    called: '所调用：{}。',
    tools: '工具：{}。',
    paths: '错误之处：{}。',
    between: '、',
  },
};

/**
 * Returns what to tell a model whose answer was no good: what was wrong, with the name of the tool that it called, the tools that
 * exist and the paths that did not match, as far as the error has them, and what to send instead. It quotes nothing else of the
 * answer. Never throws.
 *
 * @param error An AgentError, or anything that was thrown.
 * @param options `locale`: the language, as a BCP 47 tag; default `'en'`, and for a language that there is no text in.
 * @returns `undefined` if the error has no remedy `ask-again`.
 *
 * @example
 * const error = Object.assign(new Error(), { remedy: { kind: 'ask-again', because: 'invalid-json' } });
 *
 * feedbackFor(error); // 'Your last answer was not valid JSON. Send it again as JSON only, without any other text.'
 */
export function feedbackFor(
  error: unknown,
  options: { locale?: string | undefined } = {},
): string | undefined {
  return feedbackIn(error, textsFor(options?.locale));
}

function textsFor(locale: unknown): Texts {
  if (typeof locale !== 'string') return ENGLISH;
  const [language = ''] = locale
    .trim()
    .toLowerCase()
    .split(/[-_.@]/, 1);
  return (Object.hasOwn(TEXTS, language) ? TEXTS[language] : undefined) ?? ENGLISH;
}
