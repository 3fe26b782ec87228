// Holds the names in pkg/src, core/src and web to plain English: no identifier has a word of this project's former private
// vocabulary. Comments may have those words of it that are ordinary English in another sense; texts are not looked at. A line
// comment does not begin with a clause in the place of its subject.
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

const left = TO_GO.length > 0 ? `, ${TO_GO.length} to go` : '';
console.log(`words: ${files.length} files of ${Object.keys(FOLDERS).join(', ')}${left}`);
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
