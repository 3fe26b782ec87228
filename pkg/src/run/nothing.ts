/** Results that say that there was nothing to find. */

/** Things that tools find, in the plural of their answers: "No matching files were found in src". */
const THINGS =
  'results?|match(?:es)?|hits?|files?|director(?:y|ies)|records?|rows?|items?|entry|entries|documents?|docs|articles?|pages?|messages?|emails?|tickets?|orders?|customers?|users?|products?|events?|flights?|data|contents?|information|tables?|issues? match|symbols?|references|definitions?|usages|occurrences?|elements?|nodes?|links?|answers?|snippets?|chunks?|listings?|availability|slots?|contacts?|accounts?|repositor(?:y|ies)|commits?';

/**
 * Whole results: a text with more than such a sentence has content. A row is how a sentence begins, and its rest. A space of a
 * beginning is any white space.
 */
const SENTENCES: readonly (readonly [begins: string, rest: string])[] = [
  [
    '(?:(?:sorry|info|note|warning|error|search)[,:](?: )?)?(?:(?:there (?:are|were|is)|(?:i|we) found|found|returned|got|your search (?:returned|had)|the (?:search|query) returned) )?(?:no|0|zero) ',
    `(?:[\\w-]+ ){0,3}?(?:${THINGS})(?: (?:(?:were|was|are|is|has been|have been|could be) )?(?:found|returned|available|matched|exists?|match(?:ing)?))?(?:(?: (?:for|in|with|to|at|on|under|from|within|that|which|matching|match)\\b|:).*)?`,
  ],
  [
    "(?:sorry, )?(?:(?:i|we) )?(?:(?:could|can|did)(?: )?n[o']t|unable to) (?:find|locate|match) ",
    '(?:any(?:thing)?|a)\\b.*',
  ],
  [
    '(?:nothing|none|null|undefined|n/a|empty|not found|no match|nothing to show)',
    '(?: (?:was )?(?:found|matched|returned|here))?(?: (?:for|in) .*)?',
  ],
  ['(?:the )?(?:[\\w-]+ ){1,3}is empty', ''],
  ['empty (?:results?|list|set|response)', ''],
  ['(?:query|search) (?:ok, )?(?:returned )?(?:an )?empty', '.*'],
  ['0 rows?', '\\)?'],
  ['(?:keine (?:\\S+ )?(?:ergebnisse|treffer|einträge|daten|dateien)|nichts)', '.*'],
  ['(?:no se (?:han )?(?:encontr|hall)|sin resultados|ningún resultado)', '.*'],
  ['(?:aucune? (?:résultat|correspondance|fichier|donnée)|rien)', '.*'],
  ['.{0,40}(?:見つかりません|ありませんでした)', '(?:でした)?'],
  ['該当(?:なし|(?:する)?.{0,20}ありません)', ''],
  ['(?:没有|未)(?:找到|发现|查询到|搜索到)', '.{0,40}'],
  ['无(?:结果|数据)', ''],
  ['(?:无匹配|暂无)', '.{0,10}'],
];

/** Most texts begin otherwise. Searching for all sentences takes four times as long as for their beginnings, or signs alone. */
const BEGINS = new RegExp(
  `^[\\s\\p{S}\\p{Po}(["'*]*(?:[\\s)\\]"'*]*$|${SENTENCES.map(([begins]) => begins.replaceAll(' ', '\\s+')).join('|')})`,
  'ius', // a space may be a new line
);
const WHOLE = SENTENCES.map(([begins, rest]) => new RegExp(`^(?:${begins})(?:${rest})[.!。]?$`, 'i'));

/** The longest sentence: a longer text has content. */
const LONGEST = 200;

/**
 * Whether a tool found nothing: null, an empty text, list or object, an object whose only list is empty, or a listed sentence; of
 * an MCP result its only text, and JSON in a text.
 */
export function isNothing(result: unknown): boolean {
  try {
    return found(result, 3) === 0;
  } catch {
    return false; // A getter or a proxy that throws.
  }
}

/** 0 for nothing; `depth` is how many wrappings are left to look into. */
function found(result: unknown, depth: number): 0 | 1 {
  if (result === null) return 0;
  if (typeof result === 'string') return foundInText(result.trim(), depth);
  if (typeof result !== 'object') return 1;
  if (Array.isArray(result)) return result.length === 0 ? 0 : 1;
  const prototype: unknown = Object.getPrototypeOf(result);
  if (prototype !== Object.prototype && prototype !== null) return 1;
  const { content, output, isError } = result as Record<string, unknown>;
  if (depth > 0 && isError !== true) {
    const [part, ...more] = Array.isArray(content) ? content : [];
    const { type, text } = (part ?? {}) as Record<string, unknown>;
    if (more.length === 0 && type === 'text' && typeof text === 'string') return found(text, depth - 1);
    if (typeof output === 'string' && 'title' in result) return found(output, depth - 1);
  }
  const values = Object.values(result);
  if (values.length === 0) return 0;
  const lists = values.filter(Array.isArray);
  return lists.length === 1 && lists[0]?.length === 0 ? 0 : 1;
}

function foundInText(text: string, depth: number): 0 | 1 {
  if (text === '') return 0;
  if (text.length > LONGEST) return 1;
  if (depth > 0 && /^(?:\[[\s\S]*\]|\{[\s\S]*\}|null)$/.test(text)) {
    try {
      return found(JSON.parse(text), depth - 1);
    } catch {
      return 1; // A text in brackets.
    }
  }
  if (!BEGINS.test(text)) return 1;
  const sentence = text.replace(/^[\s\p{S}\p{Po}(["'*]+|[\s)\]"'*]+$/gu, '').replace(/\s+/g, ' ');
  return sentence === '' || WHOLE.some((pattern) => pattern.test(sentence)) ? 0 : 1;
}
