// Keeps the names and the prose of this repository in plain English:
// - No identifier in pkg/src, core/src and web has a word of this project's former private vocabulary. Comments may use such a
//   word where it is ordinary English in another sense.
// - No line comment there begins with a clause in the place of its subject.
// - Comments and pages of the whole repository have no more of the turns of phrase in PHRASES than their ceilings allow.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './building.mjs';

/** Words that no name has, and what to write instead. */
const WORDS = {
  told: 'emitted, reported, described',
  tell: 'emit, notify, report',
  tells: 'emits, notifies, reports',
  ask: 'call, query',
  asked: 'called, requested',
  asks: 'calls, queries',
  lane: 'shared buffer',
  wary: 'recheck',
  story: 'failed-call state',
  attempting: 'attempts',
  whoever: 'the thing itself',
};

/** Words that the names of the page and of its model have not either: they mean something else in the core. */
const WORDS_OF_THE_DASHBOARD = {
  lint: 'check, finding',
  lints: 'checks, findings',
  person: 'user',
};

/** Words that no comment has. */
const WORDS_OF_COMMENTS = ['told', 'lane', 'wary'];

/** A line comment begins with the thing that it is about: "Waiting calls are dropped", and not "What waits is dropped". */
const NOUN_CLAUSE = /^\s*\/\/ ?(?:What|Who|Whoever|Whether)\b.*/gm;

/**
 * Turns of phrase that make a reader stop. A ceiling is how many times the comments and pages of the whole repository have one
 * now; it may only fall, so lower it after an edit.
 */
const PHRASES = [
  {
    name: 'noun clause as the subject',
    pattern: /(?:^|[.!;:]\s+)(?:What|Who|Whoever|Whatever|Whether|Which)\b[^.?!|]*[.|]/gm,
    instead: 'name the thing: "Waiting calls are dropped", not "What waits is dropped"',
    ceiling: 97,
  },
  { name: 'nobody', pattern: /\bnobody\b/gi, instead: 'no call, no reader, no process …', ceiling: 7 },
  {
    name: 'none is, is none',
    pattern: /\bnone (?:is|are|has|have|was|of)\b|\b(?:is|are|has|have) none\b/gi,
    instead: 'no call is …, there is no …, it has no …',
    ceiling: 16,
  },
  {
    name: 'so many, as much as',
    pattern: /\b(?:so|as) (?:many|much)\b/gi,
    instead: 'the number: "lasts ten seconds", "up to `limit`", "four times"',
    ceiling: 15,
  },
  { name: 'of such', pattern: /\bof such\b|\bsuch a one\b/gi, instead: 'name the thing', ceiling: 4 },
  {
    name: 'lets go',
    pattern: /\blets? (?:it |them )?go\b/gi,
    instead: 'drops, releases, evicts',
    ceiling: 0,
  },
  {
    name: 'where … is',
    pattern:
      /\bwhere (?:there|it|one|that|this|none|no|an?|they|nothing) (?:is|are|has|have|was|does|did)\b/gi,
    instead: 'if, when; "where" is for places',
    ceiling: 22,
  },
  {
    name: 'it is … that',
    pattern: /\bit is (?:the|an?|in|by|for|at) [^.]{1,60} that\b/gi,
    instead: 'begin with the subject',
    ceiling: 2,
  },
  {
    name: 'is told, is asked',
    pattern: /\b(?:is|are|was|were|be|been) (?:told|asked)\b/gi,
    instead: 'hears of, is notified; is called',
    ceiling: 3,
  },
  { name: 'anew', pattern: /\banew\b/gi, instead: 'again, from the start', ceiling: 6 },
  {
    name: 'stands',
    pattern: /\b(?:stands?|stood)\b(?! (?:for|by)\b)/gi,
    instead: 'is, is written, comes before',
    ceiling: 19,
  },
  {
    name: 'goes by',
    pattern: /\b(?:goes?|went) by\b/gi,
    instead: 'follows, uses, depends on',
    ceiling: 0,
  },
  {
    name: 'by who, by what',
    pattern: /\b(?:by|for|to|of) who\b|\bby (?:what|which of)\b/gi,
    instead: 'by the process that …',
    ceiling: 1,
  },
  {
    name: 'what comes of it',
    pattern: /\b(?:comes?|came) of (?:it|that|them|the|an?)\b/gi,
    instead: 'the result, the outcome',
    ceiling: 5,
  },
  { name: 'but for', pattern: /\bbut for\b/gi, instead: 'except', ceiling: 1 },
  {
    name: 'in the place of',
    pattern: /\bin (?:the|its|their) place\b/gi,
    instead: 'instead of; at the index',
    ceiling: 1,
  },
];

/** Pages and tables that are made by a program, what others have written, and what was changed in releases. */
const NOT_OURS =
  /^(?:\.changeset|pkg\/api|core\/fuzz\/seeds|core\/vectors|dist|tests\/fixtures|tests\/tool-errors\/recorded)\/|CHANGELOG\.md$|^docs\/(?:rules|recognised|benchmarks|size)\.md$/;

const FOLDERS = {
  'pkg/src': WORDS,
  'core/src': WORDS,
  'core/fleet/src': WORDS,
  'core/lab/src': WORDS,
  'core/wasm/src': WORDS,
  'web/answers': WORDS,
  'web/log': WORDS,
  'web/store': WORDS,
  'web/model': { ...WORDS, ...WORDS_OF_THE_DASHBOARD },
  'web/src': { ...WORDS, ...WORDS_OF_THE_DASHBOARD },
};

/** Names that stay until their files are rewritten. An entry that is needed no more fails the check, so the list only shrinks. */
const TO_GO = [];

const files = Object.entries(FOLDERS).flatMap(([folder, words]) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.(ts|rs)$/.test(file))
    .sort()
    .map((file) => ({ file, words })),
);

const NOT_CODE =
  /\/\*[\s\S]*?\*\/|\/\/.*|r#"[\s\S]*?"#|b?"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/g;

/** The code alone: comments, texts and regular expressions are blanked out. */
const codeOf = (text) => text.replace(NOT_CODE, ' ');

const commentsOf = (text) => (text.match(NOT_CODE) ?? []).filter((part) => /^\/[/*]/.test(part));

const wordsOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_');

const faults = [];
const unused = new Set(TO_GO);
for (const { file, words } of files) {
  const text = readFileSync(join(root, file), 'utf8');
  for (const comment of commentsOf(text)) {
    for (const word of WORDS_OF_COMMENTS.filter((word) => new RegExp(`\\b${word}\\b`, 'i').test(comment))) {
      faults.push(
        `${file}: the comment "${comment.slice(0, 60)}…": instead of '${word}' write ${words[word]}`,
      );
    }
  }
  for (const [comment] of text.matchAll(NOUN_CLAUSE)) {
    faults.push(
      `${file}: the comment "${comment.trim().slice(0, 60)}…" begins with a noun clause: name the thing`,
    );
  }
  const names = new Set(codeOf(text).match(/[A-Za-z_]\w*/g));
  for (const name of names) {
    for (const word of wordsOf(name).filter((word) => Object.hasOwn(words, word))) {
      const entry = `${file}: ${name}`;
      unused.delete(entry);
      if (!TO_GO.includes(entry)) faults.push(`${entry}: instead of '${word}' write ${words[word]}`);
    }
  }
}
for (const entry of unused) faults.push(`${entry}: is no name any more; take it out of TO_GO`);

/** The prose of a file: of a page what is outside of its code blocks, of a program its comments. */
function proseOf(file, text) {
  if (file.endsWith('.md')) return text.replace(/^```[\s\S]*?^```/gm, '');
  return commentsOf(text)
    .map((comment) => comment.replace(/^\s*(?:\/\/[/!]?|\/\*\*?|\*(?!\/))|\*\/$/gm, '').replace(/^ +/gm, ''))
    .join('\n');
}

const pages = execFileSync('git', ['ls-files', '*.md', '*.mjs', '*.rs', '*.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => !NOT_OURS.test(file) && file !== 'scripts/check-words.mjs')
  .map((file) => ({ file, prose: proseOf(file, readFileSync(join(root, file), 'utf8')) }));
const wanted = process.argv[2] === '--show' ? process.argv[3] : undefined;
for (const { name, pattern, instead, ceiling } of PHRASES) {
  const uses = pages.flatMap(({ file, prose }) =>
    [...prose.matchAll(pattern)].map(([use]) => `${file}: ${use.trim().slice(0, 100)}`),
  );
  if (wanted === name) console.log(uses.join('\n'));
  if (uses.length > ceiling) {
    faults.push(
      `'${name}' is in the prose ${uses.length} times, and ${ceiling} are allowed: ${instead}. ` +
        `node scripts/check-words.mjs --show '${name}' lists them`,
    );
  } else if (uses.length < ceiling) {
    console.log(`'${name}': only ${uses.length} are left; lower its ceiling from ${ceiling}`);
  }
}

const left = TO_GO.length > 0 ? `, ${TO_GO.length} to go` : '';
console.log(`words: ${files.length} files of ${Object.keys(FOLDERS).join(', ')}${left}`);
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
