/** Remedies of errors as SDKs throw them: tests/repair/cases.json. core/tests/remedies.rs has the same cases, and more. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AgentError, classify, explainClassification, LOCALES, REMEDY_KINDS, route } from 'halfopen';

interface Case {
  id: string;
  thrown: Record<string, unknown>;
  remedy: Record<string, unknown> | null;
  accept?: (Record<string, unknown> | null)[];
}

const file = new URL('../../../tests/repair/cases.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: Case[] };

/** The thrown value again: an error of that class, with its own fields. */
function made(thrown: Record<string, unknown>): Error {
  const { class: name, message, headers, ...fields } = thrown;
  const Named = { [String(name)]: class extends Error {} }[String(name)] as ErrorConstructor;
  const error = new Named(String(message));
  for (const [key, value] of Object.entries(fields)) {
    const isError = typeof value === 'object' && value !== null && 'class' in value && 'message' in value;
    Object.defineProperty(error, key, {
      value: isError ? made(value as Record<string, unknown>) : value,
      enumerable: key !== 'name',
      configurable: true,
    });
  }
  if (headers !== undefined)
    Object.assign(error, { headers: new Headers(headers as Record<string, string>) });
  return error;
}

test('errors of SDKs have the kind of remedy that they ask for, and no other', () => {
  for (const { id, thrown, remedy, accept = [] } of cases) {
    const kinds = [remedy, ...accept].map((one) => one?.kind);
    assert.ok(kinds.includes(classify(made(thrown)).remedy?.kind), id);
  }
});

test('the details cross as they are', () => {
  const of = (id: string) => classify(made(cases.find((one) => one.id === id)?.thrown ?? {})).remedy;
  assert.deepEqual(of('openai.orphan-call'), {
    kind: 'pair-tool-calls',
    ids: ['call_jJATmoUduQWxi4tRwcQjsodM'],
  });
  assert.deepEqual(of('openai.orphan-result'), { kind: 'pair-tool-calls', ids: [] });
  assert.deepEqual(of('anthropic.context'), { kind: 'shorten', limit: 200_000, sent: 214_676 });
  assert.deepEqual(of('openai.temperature-default'), {
    kind: 'set-parameter',
    name: 'temperature',
    value: 1,
  });
  assert.deepEqual(of('anthropic.image-size'), {
    kind: 'drop-media',
    reason: 'too-large',
    at: 'messages[0].content[1]',
    limit: 5_242_880,
  });
});

test('an AgentError keeps it, in JSON and in another classification too', () => {
  const error = AgentError.from(
    Object.assign(new Error('prompt is too long: 214676 tokens > 200000 maximum'), { status: 400 }),
    { provider: 'anthropic' },
  );
  assert.deepEqual(error.remedy, { kind: 'shorten', limit: 200_000, sent: 214_676 });
  assert.deepEqual(error.toJSON().remedy, error.remedy);
  assert.deepEqual(classify(error).remedy, error.remedy);
  assert.equal(new AgentError('TIMEOUT', 'late').remedy, undefined);
  assert.equal('remedy' in classify(Object.assign(new Error('late'), { status: 429 })), false);
});

test('an explanation names the row', () => {
  const { afterwards } = explainClassification(
    Object.assign(new Error('prompt is too long: 214676 tokens > 200000 maximum'), { status: 400 }),
  );
  assert.deepEqual(afterwards, ['The remedy is shorten, by the row context.both.']);
});

test('no error that can be repaired asks users to check what they entered', () => {
  const asks: Record<string, RegExp> = {
    en: /what you entered/i,
    de: /Eingabe|eingegeben/i,
    es: /lo que (ha )?introducido|lo que escribió|introdujo/i,
    fr: /saisi|saisie/i,
    ja: /入力.*確認/,
    zh: /检查.*输入/,
  };
  for (const { id, thrown, remedy } of cases) {
    if (remedy === null) continue;
    const error = AgentError.from(made(thrown));
    for (const locale of LOCALES)
      for (const audience of ['owner', 'visitor'] as const)
        assert.doesNotMatch(
          error.userMessage({ locale, audience }),
          asks[locale] as RegExp,
          `${id} ${locale}`,
        );
  }
});

test('a new plan learns which part is too long, and by how much', () => {
  const error = Object.assign(new Error('prompt is too long: 214676 tokens > 200000 maximum'), {
    status: 400,
  });
  const routed = route({ error });
  assert.equal(routed.next, 'orchestrator');
  assert.match(
    'reason' in routed ? routed.reason : '',
    /214676 tokens, 14676 more than the 200000 that fit\.$/,
  );
  assert.deepEqual('requiredContext' in routed && routed.requiredContext, [
    'a conversation of at most 200000 tokens',
  ]);
  const unknown = route({
    error: Object.assign(new Error('Input is too long for requested model.'), { status: 400 }),
  });
  assert.deepEqual('requiredContext' in unknown && unknown.requiredContext, ['a shorter conversation']);
});

test('every kind has a place on the wire', () => {
  assert.equal(REMEDY_KINDS.length, 16);
});
