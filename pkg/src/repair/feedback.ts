/** Tells a model why its own answer was not usable. */

import type { Remedy } from '../classify/remedy.js';
import { AgentError } from '../error/agent-error.js';
import { fieldsOf } from './copy.js';

type Because = Extract<Remedy, { kind: 'ask-again' }>['because'];

/** Each says what was wrong, then what to send; the last rows have names: of the tool that was called, of those that exist, of paths. */
type Texts = Readonly<Record<Because | keyof Details, string>>;

/** Names of what was wrong. */
export interface Details {
  readonly called: readonly string[];
  readonly tools: readonly string[];
  readonly paths: readonly string[];
}

export const NO_DETAILS: Details = { called: [], tools: [], paths: [] };
const DETAILS = ['called', 'tools', 'paths'] as const;

const TEXTS: Readonly<Record<string, Texts>> = {
  en: {
    empty: 'Your last answer was empty. Answer the last message.',
    'invalid-json':
      'Your last answer was not valid JSON. Send it again as JSON only, without any other text.',
    'invalid-output':
      'Your last answer did not have the required structure. Send it again in full, as the schema requires.',
    'invalid-arguments':
      'The arguments of your last tool call were not valid. Call the tool again with arguments that are JSON and match its schema.',
    'unknown-tool':
      'Your last answer called a tool that does not exist. Call only tools from the list, by their exact names.',
    called: 'Called: {}.',
    tools: 'Tools: {}.',
    paths: 'Wrong: {}.',
  },
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
  },
};

/** More names than these are no help. */
const MOST: Readonly<Record<keyof Details, number>> = { called: 1, tools: 40, paths: 10 };
/** Names of fields and their places, and of tools; anything else may be content. */
const PATH = /^[\p{L}\p{N}_$.[\]'"/*-]{1,200}$/u;
const TOOL = /^[\w.:/-]{1,128}$/;

/** The words for one reason; `undefined` for one that is not known. */
export function feedback(because: string, details: Details, locale: string): string | undefined {
  const [language = ''] = locale
    .trim()
    .toLowerCase()
    .split(/[-_.@]/, 1);
  const texts = Object.hasOwn(TEXTS, language) ? TEXTS[language] : TEXTS.en;
  if (texts === undefined || because in NO_DETAILS || !Object.hasOwn(texts, because)) return undefined;
  const isSpaced = !/^(?:ja|zh)$/.test(language);
  const named = DETAILS.filter((name) => details[name].length > 0).map((name) =>
    texts[name].replace('{}', () => details[name].join(isSpaced ? ', ' : '、')),
  );
  return [texts[because as Because], ...named].join(isSpaced ? ' ' : '');
}

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
  try {
    const own = AgentError.is(error) ? undefined : AgentError.from(error);
    const found = remedyOf(error) ?? remedyOf(own);
    if (found === undefined) return undefined;
    const because = String(found.remedy.because);
    return feedback(
      because,
      { ...toolsIn(error, because), paths: pathsIn(found.metadata) },
      options?.locale ?? 'en',
    );
  } catch {
    return undefined;
  }
}

function remedyOf(error: unknown) {
  const { remedy, metadata } = fieldsOf(error);
  const known = fieldsOf(remedy);
  return known.kind === 'ask-again' ? { remedy: known, metadata } : undefined;
}

function pathsIn(metadata: unknown): readonly string[] {
  return names(fieldsOf(metadata).paths, PATH, 'paths');
}

/** Errors beneath errors: a framework's, a policy's. */
const DEEPEST = 8;

/** The tools that an error names, as the AI SDK's do: the one that was called, and those that exist. */
function toolsIn(thrown: unknown, because: string): Omit<Details, 'paths'> {
  if (!/^(?:invalid-arguments|unknown-tool)$/.test(because)) return NO_DETAILS;
  let error = fieldsOf(thrown);
  for (let depth = 0; depth < DEEPEST; depth++) {
    const called = names([error.toolName], TOOL, 'called');
    if (called.length > 0) return { called, tools: names(error.availableTools, TOOL, 'tools') };
    error = fieldsOf(fieldsOf(error.provider).originalError ?? error.cause);
  }
  return NO_DETAILS;
}

function names(value: unknown, known: RegExp, of: keyof Details): readonly string[] {
  const all = Array.isArray(value) ? value : [];
  return all.filter((name) => typeof name === 'string' && known.test(name)).slice(0, MOST[of]);
}
