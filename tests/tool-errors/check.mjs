// Checks that libraries and recordings belong together, and that a rebuilt value equals the thrown one.
import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { draw, fileOf } from './draw.mjs';
import { load, names } from './libraries.mjs';
import { pack, unpack } from './serialise.mjs';

const json = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url)));
const CODES =
  /^(NETWORK_ERROR|RATE_LIMITED|INVALID_RESPONSE|VALIDATION_ERROR|SERVER_ERROR|CANCELLED|AUTHENTICATION_ERROR|TIMEOUT|UNKNOWN|PROVIDER_OVERLOADED|QUOTA_EXCEEDED|PERMISSION_DENIED|CONTENT_FILTERED|PROVIDER_NOT_CONFIGURED|PROVIDER_NOT_SUPPORTED|CONFIG_ERROR|TOOL_EXECUTION_ERROR|IO_ERROR|NOT_FOUND|INITIALIZATION_ERROR|LLM_ASSIST_REQUIRED|CAPACITY_EXCEEDED|CONFLICT|ALREADY_EXISTS)$/;

/** Returns the faults, one line each. */
export async function problems() {
  const found = [];
  let cases = 0;
  const drawn = draw()
    .filter(({ not }) => !not)
    .map(({ name }) => fileOf(name));
  if (!isDeepStrictEqual(json('./split.json').draws.at(-1).libraries, drawn)) {
    found.push('split.json is not as candidates.json says: node split.mjs');
  }
  for (const name of drawn) if (!names.includes(name)) found.push(`${name} is drawn, but no library`);
  const files = readdirSync(new URL('./recorded/', import.meta.url)).sort();
  if (
    !isDeepStrictEqual(
      files,
      names.map((name) => `${name}.json`),
    )
  )
    found.push('recorded/ and libraries/ differ');
  const values = new Map();
  for (const name of names) {
    const library = await load(name);
    const recorded = json(`./recorded/${name}.json`).cases;
    for (const { name: id, expect, why } of library.cases) {
      cases++;
      if (!recorded[id]) found.push(`${name}/${id} has no recording: node record.mjs ${name}`);
      for (const code of [expect.code, ...expect.neighbours])
        if (!CODES.test(code)) found.push(`${name}/${id}: no code ${code}`);
      if (!why) found.push(`${name}/${id} does not say why`);
      const value = comparable(recorded[id]?.thrown);
      const [other, right] = values.get(value) ?? [];
      if (other === undefined) values.set(value, [`${name}/${id}`, expect]);
      else if (
        right.code !== expect.code ||
        (right.clear && expect.clear && right.retryable !== expect.retryable)
      )
        found.push(`${name}/${id} threw the same value as ${other}, and expects something else`);
    }
    for (const [id, { thrown }] of Object.entries(recorded)) {
      if (!library.cases.some((one) => one.name === id)) found.push(`${name}/${id} is recorded, but no case`);
      if (!isDeepStrictEqual(pack(unpack(thrown)), thrown))
        found.push(`${name}/${id} is not rebuilt as it was`);
    }
  }
  return { found, cases, libraries: names.length };
}

/** Returns the thrown value without details that differ between runs: ports, pids, dates, names of folders. */
const comparable = (thrown) =>
  JSON.stringify(thrown ?? null)
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, '')
    .replace(/\b\d{5,}\b/g, '')
    .replace(/-[A-Za-z0-9]{6}(?=[/"'])/g, '');
