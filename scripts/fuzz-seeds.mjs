// Writes the shared vectors as seed corpora of the fuzz targets: node scripts/fuzz-seeds.mjs
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const cases = (area) => JSON.parse(readFileSync(new URL(`tests/vectors/${area}.json`, root), 'utf8')).cases;

function seed(target, content) {
  const folder = new URL(`core/fuzz/corpus/${target}/`, root);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(createHash('sha1').update(content).digest('hex'), folder), content);
}

for (const { thrown } of [...cases('classify'), ...cases('traps')]) {
  const json = JSON.stringify(thrown);
  seed('json', json);
  if (typeof thrown?.message === 'string') seed('text', thrown.message);
  // The layout of the shared buffer: key, kind, length, bytes. Object (4) with a message (key 3) of kind text (3).
  const text = Buffer.from(String(thrown?.message ?? json)).subarray(0, 4096);
  const message = Buffer.concat([Buffer.from([3, 3, text.length & 255, text.length >> 8]), text]);
  seed('thrown', Buffer.concat([Buffer.from([0, 4, message.length & 255, message.length >> 8]), message]));
}
// Bytes that begin as a state and as a delta of a fleet: the rest is zeros.
for (const form of 'sd') seed('fleet', Buffer.concat([Buffer.from(`HF${form}\x01`), Buffer.alloc(28)]));
for (const { headers } of cases('retry-after')) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`);
  seed('headers', lines.join('\n'));
}
for (const file of ['agent-day', 'incident', 'export-cases']) {
  const lines = readFileSync(new URL(`tests/fixtures/${file}.jsonl`, root), 'utf8').split('\n');
  // One of each type: the rest are like them.
  const types = new Map(lines.filter(Boolean).map((line) => [JSON.parse(line).type, line]));
  for (const line of types.values()) seed('line', line);
}
for (const { chunks = [], whole, validate } of cases('response')) {
  const given = [...chunks, whole, validate].filter((one) => one !== undefined);
  seed('response', given.map((one) => JSON.stringify(one)).join('\n'));
}
for (const text of [
  'code:RATE_LIMITED provider:openai retrying duration>2s -status:ok trip',
  'task:"book, cut",plan group:task message:"too many" attempts>=3',
])
  seed('filter', text);
const scenario = readFileSync(new URL('tests/vectors/lab/everything.json', root));
seed('scenario', scenario);
seed('address', '?view=breakers&q=duration%3E2s+-status:ok&call=a1&source=demo');
for (const shared of [scenario, '{"seed":7}'])
  seed('address', `?view=lab#lab=${Buffer.from(shared).toString('base64url')}`);
// A breaker of each kind that was open, with a window of four numbers.
for (const kind of [0, 1, 2, 3])
  seed('snapshot', Buffer.from([kind, 100, 0, 0, 1, 3, 9, 0, 3, 9, 0, 1, 0, 0, 0, 1, 3, 50, 2]));
