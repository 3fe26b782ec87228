// A page for every error code: the core's tables (meaning, retry, rules with their sources, messages to users), what
// code-advice.mjs says beside them, and an error that gets the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { AGENT_ERROR_CODES, classify, getUserFriendlyMessage, LOCALES } from 'halfopen';
import { root } from '../scripts/building.mjs';
import { ADVICE } from './code-advice.mjs';

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });

/** The rows of a table of a page of docs/, as cells. */
const rowsOf = (page) =>
  readFileSync(join(root, 'docs', page), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim().replace(/^\| ?| ?\|$/g, '')),
    );

/** The code's row of the table that the core's test writes into docs/errors.md. */
function tableOf(code, rows) {
  const row = rows.find(([name]) => name === `\`${code}\``);
  if (row === undefined) throw new Error(`docs/errors.md has no row for ${code}`);
  const [, meaning, retryable, severity, kind, layers] = row;
  return { meaning, retryable: retryable.replaceAll('*', ''), severity, kind, layers };
}

/** The example: the error in the source, and what `classify` says of it. */
function exampleOf(code, fields) {
  if (fields === undefined) return '';
  const { message, ...rest } = fields;
  const verdict = classify(Object.assign(new Error(message), rest));
  if (verdict.code !== code)
    throw new Error(`code-advice.mjs: the example of ${code} is ${verdict.code} (${verdict.rule})`);
  return `## An error that gets it

\`\`\`ts
import { classify } from 'halfopen';

const thrown = Object.assign(new Error(${inspect(message)}), ${inspect(rest, { depth: 9, breakLength: 100 })});
const { code, retryable, rule } = classify(thrown);
console.log(code, retryable, rule);
\`\`\`

\`\`\`text
${verdict.code} ${verdict.retryable} ${verdict.rule}
\`\`\`
`;
}

const list = (lines) => lines.map((line) => `- ${line}`).join('\n');
const quote = (text) =>
  text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

function pageOf(code, rows, rules) {
  const advice = ADVICE[code];
  if (advice === undefined) throw new Error(`code-advice.mjs has nothing about ${code}`);
  const { meaning, retryable, severity, kind, layers } = tableOf(code, rows);
  const message = (locale) =>
    getUserFriendlyMessage(code, { provider: 'openai', model: 'gpt-4o' }, { locale });
  const others = LOCALES.filter((locale) => locale !== 'en');
  const own = rules.filter(([, of]) => of === code);
  return `# ${code}

${meaning}.

| Retried | Severity | Kind | Layers |
|---|---|---|---|
| ${retryable} | ${severity} | ${kind} | ${layers} |

## Causes

${list(advice.causes)}

## What to do

${list(advice.todo)}

## What your user reads

${quote(message('en'))}

${others.map((locale) => `**${LANGUAGES.of(locale)}**\n\n<div lang="${locale}">\n\n${quote(message(locale))}\n\n</div>`).join('\n\n')}

${exampleOf(code, advice.thrown)}
${own.length === 0 ? '' : `## Rules that decide so\n\nThe first rule whose conditions all hold decides: see [all rules](../rules.md).\n\n| Rule | Retried | Decided by | Source |\n|---|---|---|---|\n${own.map(([rule, , retry, by, source]) => `| ${rule} | ${retry} | ${by} | ${source} |`).join('\n')}`}
`;
}

/** The pages of all codes, by their paths. */
export async function codePages() {
  const rows = rowsOf('errors.md');
  const rules = rowsOf('rules.md');
  const unknown = Object.keys(ADVICE).filter((code) => !AGENT_ERROR_CODES.includes(code));
  if (unknown.length > 0)
    throw new Error(`code-advice.mjs has codes that are not there: ${unknown.join(', ')}`);
  return Object.fromEntries(AGENT_ERROR_CODES.map((code) => [`codes/${code}.md`, pageOf(code, rows, rules)]));
}

/** docs/errors.md with each code of its table as a link to its page. */
export const linkCodes = (text) => text.replaceAll(/^\| `([A-Z_]+)` \|/gm, '| [`$1`](./codes/$1.md) |');
