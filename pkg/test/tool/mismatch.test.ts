// Arguments that do not fit: the model reads paths and expectations, and nothing of what it had sent.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { type } from 'arktype';
import { createPolicy, toolResult } from 'halfopen';
import * as v from 'valibot';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { ownWork } from '../../../scripts/patience.mjs';

const SECRET = 'SECRET-CONTENT';
const given = {
  ...{ city: 7, days: 99, unit: SECRET, mail: SECRET, tags: ['ok', { a: SECRET }], [`x ${SECRET}`]: 1 },
  ...{ extra: SECRET },
};

const schemas: Record<string, () => unknown> = {
  'zod 4': () =>
    z
      .strictObject({
        ...{ city: z.string(), days: z.number().max(7), unit: z.enum(['C', 'F']), mail: z.email() },
        tags: z.array(z.string()),
      })
      .parse(given),
  'zod 3': () =>
    z3
      .object({
        ...{ city: z3.string(), days: z3.number().max(7), unit: z3.enum(['C', 'F']) },
        ...{ mail: z3.string().email(), tags: z3.array(z3.string()) },
      })
      .strict()
      .parse(given),
  valibot: () =>
    v.parse(
      v.strictObject({
        ...{ city: v.string(), days: v.pipe(v.number(), v.maxValue(7)), unit: v.picklist(['C', 'F']) },
        ...{ mail: v.pipe(v.string(), v.email()), tags: v.array(v.string()) },
      }),
      given,
    ),
  arktype: () =>
    type({
      city: 'string',
      days: 'number <= 7',
      unit: "'C' | 'F'",
      mail: 'string.email',
      tags: 'string[]',
    }).assert(given),
  ajv: () => {
    const check = new Ajv({ allErrors: true, validateFormats: false }).compile({
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'number', maximum: 7 },
        unit: { enum: ['C', 'F'] },
        mail: { type: 'string', pattern: '@' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      additionalProperties: false,
    });
    check(given);
    throw Object.assign(new Error('validation failed'), { errors: check.errors });
  },
};

for (const [library, parse] of Object.entries(schemas)) {
  describe(library, () => {
    const tool = async () => String(parse());
    test('paths and expectations, and no content', async () => {
      const { output, metadata } = await toolResult(tool)();
      for (const path of ['city: ', 'days: ', 'unit: ', 'mail: ', 'tags[1]: '])
        assert.ok(output.includes(path), `${path} in ${output}`);
      assert.match(output, /^Error: .*string/);
      assert.match(output, /7/);
      assert.match(output, /C.*F/);
      assert.ok(!JSON.stringify([output, metadata]).includes(SECRET), output);
      assert.equal(metadata.error, output.slice('Error: '.length));
    });

    test('also through a policy, and beneath the AI SDK’s own error', async () => {
      const direct = (await toolResult(tool)()).output.slice('Error: '.length);
      const policy = createPolicy({ retry: false });
      assert.equal((await toolResult(policy.wrap(tool))()).output, `Error: ${direct}`);
      const wrapped = Object.assign(new Error(`Invalid input for tool weather: ${SECRET}`), {
        name: 'AI_InvalidToolInputError',
        cause: Object.assign(new Error(`Value: ${SECRET}`), {
          cause: await tool().catch((error) => error),
        }),
      });
      assert.equal(
        (await toolResult(() => Promise.reject(wrapped))()).output,
        `Error: The arguments do not fit the tool: ${direct}. Call it again with arguments that do.`,
      );
    });
  });
}

test('a long list of complaints is cut', async () => {
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`field${index}`, z.string()]));
  const { output } = await toolResult(async () => String(z.object(fields).parse({})))();
  assert.match(output, /^Error: field0: expected string; .*field9: expected string; 20 more$/);
});

test('arguments that are no JSON, and errors that are no schema’s', async () => {
  const error = (fields: object) =>
    toolResult(() => Promise.reject(Object.assign(new Error('boom'), fields)))();
  const json = { name: 'AI_InvalidToolInputError', cause: { name: 'AI_JSONParseError', text: SECRET } };
  assert.equal(
    (await error(json)).output,
    'Error: The arguments are not JSON. Call the tool again with arguments that are JSON.',
  );
  for (const fields of [{ errors: [new Error('a')] }, { issues: [] }, { issues: [1] }, { issues: 'many' }])
    assert.equal((await error(fields)).output, 'Error: boom');
});

test('a long value in the words of a schema is no work', async () => {
  const message = `Expected a city: ${' '.repeat(50_000)}x, but ${' '.repeat(50_000)}received ${SECRET}`;
  const work = ownWork();
  const { output } = await toolResult(() =>
    Promise.reject(Object.assign(new Error('x'), { issues: [{ path: ['city'], message }] })),
  )();
  assert.match(output, /^Error: city: Expected a city: /);
  assert.ok(!output.includes(SECRET));
  const tookMs = work();
  assert.ok(tookMs < 2000, `${tookMs} ms`); // by an expression with `\s*` in front it was a minute
});

test('the words of a schema without what they say of the value', async () => {
  for (const [message, said] of [
    ['Expected string, received number', 'Expected string'],
    ['Too long (was 12)', 'Too long'],
    ['Expected a city but got x', 'Expected a city'],
    ['got nothing', 'does not fit'],
    ['Must be a city.', 'Must be a city.'],
  ]) {
    const thrown = Object.assign(new Error('x'), { issues: [{ path: ['city'], message }] });
    const { output } = await toolResult(() => Promise.reject(thrown))();
    assert.equal(output, `Error: city: ${said}`);
  }
});
