// Each scenario: an agent that does everything right gets (nearly) all of it, and one that does nothing about faults loses.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT_ERROR_CODES, AgentError } from 'halfopen';
import { createLedger, memoryStore } from 'halfopen/once';
import { type Rehearsal, startRehearsal } from '../../src/rehearse/index.js';
import type { Any } from '../../src/rehearse/rules/shared.js';
import { SCENARIOS } from '../../src/rehearse/scenarios.js';
import { RECEIPT, TOOLS } from '../../src/rehearse/tools.js';

const SPEED = 200;
const SORRY = 'Sorry, this could not be done.';

interface Reply {
  status: number;
  body: Any;
}

/** Talks OpenAI chat completions, and Anthropic's messages where that fails; never does a thing twice. */
async function careful({ env }: Rehearsal, call = tool): Promise<string> {
  const messages: Any[] = [{ role: 'user', content: env.HALFOPEN_REHEARSE_TASK }];
  const seen = new Map<string, number>();
  let model = 'gpt-4o';
  let isElsewhere = false;
  let failures = 0;
  for (let step = 0; step < 12; step += 1) {
    const reply: Reply | undefined = await (isElsewhere
      ? anthropic(env, messages)
      : openai(env, model, messages)
    ).catch(() => undefined);
    if (reply?.status === 404 && model === 'gpt-4o') {
      model = 'gpt-4.1';
      continue;
    }
    if (reply !== undefined && [400, 401, 403].includes(reply.status)) return SORRY;
    if (reply?.body?.error?.code === 'insufficient_quota') return SORRY;
    const message = reply?.status === 200 ? reply.body.message : undefined;
    const isCut = reply?.body?.finish === 'length';
    if (message?.refusal || reply?.body?.finish === 'content_filter') return SORRY;
    if (message === undefined || isCut || (!message.content && !message.tool_calls?.length)) {
      failures += 1;
      isElsewhere = failures >= 2 && reply?.status === 503;
      if (failures > 3) return SORRY;
      await sleep(reply?.body?.waitMs ?? 20);
      continue;
    }
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return message.content;
    if (calls.some(({ function: made }: Any) => !isSound(made))) continue;
    messages.push(message);
    for (const { id, function: made } of calls) {
      const key = `${made.name} ${made.arguments}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      if ((seen.get(key) ?? 0) > 3 || [...seen.keys()].filter((one) => one.startsWith('search')).length > 5)
        return SORRY;
      messages.push({ role: 'tool', tool_call_id: id, content: (await call(env, made, key)).slice(0, 4000) });
    }
  }
  return SORRY;
}

function isSound({ name, arguments: text }: Any): boolean {
  const known = TOOLS.find((one) => one.name === name);
  try {
    const args = JSON.parse(text);
    return known?.inputSchema.required.every((key) => args[key] !== undefined) ?? false;
  } catch {
    return false;
  }
}

async function tool(
  env: Record<string, string>,
  { name, arguments: text }: Any,
  key: string,
): Promise<string> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      const answer = await fetch(`${env.HALFOPEN_REHEARSE_TOOLS_URL}/${name}`, {
        method: 'POST',
        headers: { 'idempotency-key': key },
        body: text,
      });
      if (answer.status === 200 || answer.status === 422) return await answer.text();
    } catch {}
    await sleep(20);
  }
  return 'the tool failed';
}

/** Its tools act once by a ledger, and hand on no key of their own: what is unknown is looked up in the order. */
function actingOnce(): typeof tool {
  const ledger = createLedger({ store: memoryStore(), secret: 's' });
  const sent = async (env: Record<string, string>, name: string, body: string): Promise<string> => {
    const answer = await fetch(`${env.HALFOPEN_REHEARSE_TOOLS_URL}/${name}`, { method: 'POST', body });
    const text = await answer.text();
    if (answer.status === 200) return text;
    throw Object.assign(new Error(text), { status: answer.status });
  };
  const acting = (name: 'refund' | 'send_mail') =>
    ledger.once(name, (env: Record<string, string>, text: string) => sent(env, name, text), {
      key: (_, text) => JSON.parse(text),
      verify: async (_, env) => {
        const order = JSON.parse(await sent(env, 'find_order', '{"order_id":"1001"}'));
        const { refunded, mailed, receipt, mail } = order;
        const [happened, found] = name === 'refund' ? [refunded, { receipt }] : [mailed, { mail }];
        return happened ? { happened, result: JSON.stringify({ ok: true, ...found }) } : { happened: false };
      },
    });
  const acts = { refund: acting('refund'), send_mail: acting('send_mail') };
  return async (env, { name, arguments: text }) => {
    let failure = '';
    for (let attempt = 0; attempt < 3; attempt += 1) {
      try {
        const act = Object.hasOwn(acts, name) ? acts[name as keyof typeof acts] : undefined;
        return await (act === undefined ? sent(env, name, text) : act(env, text));
      } catch (error) {
        failure = String((error as Error).message);
        await sleep(20);
      }
    }
    return failure;
  };
}

const post = (url: string, headers: Record<string, string>, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function openai(env: Record<string, string>, model: string, messages: Any[]): Promise<Reply> {
  const tools = TOOLS.map(({ name, inputSchema }) => ({
    type: 'function',
    function: { name, parameters: inputSchema },
  }));
  const answer = await post(
    `${env.OPENAI_BASE_URL}/chat/completions`,
    { authorization: 'Bearer sk-x' },
    { model, messages, tools },
  );
  const body: Any = await answer.json();
  const choice = body.choices?.[0];
  return {
    status: answer.status,
    body: { ...body, message: choice?.message, finish: choice?.finish_reason, waitMs: waitOf(answer, body) },
  };
}

/** Milliseconds that an error asks an agent to wait, however it says so. */
function waitOf({ headers }: Response, body: Any): number {
  const ms = headers.get('retry-after-ms');
  if (ms !== null) return Number(ms);
  const after = headers.get('retry-after') ?? '';
  const words = /try again in ([\d.]+)s/.exec(body.error?.message ?? '')?.[1];
  const seconds = words ?? (after || headers.get('x-ratelimit-reset-requests')?.replace('s', '')) ?? '';
  if (seconds === '') return 20;
  return Number.isNaN(Number(seconds))
    ? Math.max(0, Date.parse(seconds) - Date.now())
    : Number(seconds) * 1000;
}

/** The same conversation, in the words of Anthropic. */
async function anthropic(env: Record<string, string>, messages: Any[]): Promise<Reply> {
  const translated = messages.map((message): Any => {
    if (message.role === 'tool')
      return {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: message.content }],
      };
    if (!message.tool_calls) return { role: message.role, content: message.content };
    const content = message.tool_calls.map(({ id, function: made }: Any) => ({
      type: 'tool_use',
      id,
      name: made.name,
      input: JSON.parse(made.arguments),
    }));
    return { role: 'assistant', content };
  });
  const answer = await post(
    `${env.ANTHROPIC_BASE_URL}/v1/messages`,
    { 'x-api-key': 'sk-x', 'anthropic-version': '2023-06-01' },
    {
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      messages: translated,
      tools: TOOLS.map(({ name, inputSchema }) => ({ name, input_schema: inputSchema })),
    },
  );
  const body: Any = await answer.json();
  const text = body.content?.find((block: Any) => block.type === 'text')?.text;
  const calls = body.content?.filter((block: Any) => block.type === 'tool_use') ?? [];
  const tool_calls = calls.map(({ id, name, input }: Any) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = { role: 'assistant', content: text ?? null, ...(calls.length > 0 && { tool_calls }) };
  return { status: answer.status, body: { message } };
}

/** Does nothing about faults; an exception is what the user reads. */
async function naive({ env }: Rehearsal): Promise<string> {
  const messages: Any[] = [{ role: 'user', content: env.HALFOPEN_REHEARSE_TASK }];
  try {
    for (let step = 0; step < 60; step += 1) {
      const { status, body } = await openai(env, 'gpt-4o', messages);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body.error)}`);
      messages.push(body.message);
      if (!body.message.tool_calls?.length) return body.message.content ?? '';
      for (const { id, function: made } of body.message.tool_calls) {
        JSON.parse(made.arguments);
        if (!TOOLS.some(({ name }) => name === made.name))
          throw new TypeError(`${made.name} is not a function`);
        const answer = await fetch(`${env.HALFOPEN_REHEARSE_TOOLS_URL}/${made.name}`, {
          method: 'POST',
          body: made.arguments,
        }).then(
          (one) => one.text(),
          () => 'the tool failed',
        );
        messages.push({ role: 'tool', tool_call_id: id, content: answer });
      }
    }
    return '';
  } catch (error) {
    return String((error as Error).stack);
  }
}

async function scoreOf(scenario: string, agent: (rehearsal: Rehearsal) => Promise<string>, speed = SPEED) {
  const rehearsal = await startRehearsal({ scenario, speed });
  try {
    const began = performance.now();
    const text = await agent(rehearsal);
    const { why, ...score } = rehearsal.score({ text, exitCode: 0, ms: (performance.now() - began) / 10 });
    const faults = rehearsal.requests.map(({ fault }) => fault ?? '');
    return { ...score, why, text, faults };
  } finally {
    await rehearsal.close();
  }
}

/** An agent that hands the words of a tool to the model does all that is to do about these. */
const FAULTS_THAT_COST_NOTHING = ['arguments-wrong', 'tool-down', 'refund-declined'];

for (const group of new Set(SCENARIOS.map((scenario) => scenario.group))) {
  describe(group, () => {
    for (const { name, about } of SCENARIOS.filter((one) => one.group === group)) {
      test(`${name}: ${about}`, async () => {
        const best = await scoreOf(name, careful);
        const evidence = JSON.stringify(best);
        assert.equal(best.done, 1, evidence);
        assert.equal(best.once, 1, evidence);
        assert.equal(best.ended, 1, evidence);
        assert.equal(best.clean, 1, evidence);
        assert.ok(best.total >= 93, evidence);
        const worse = await scoreOf(name, naive);
        if (group === 'calm') assert.equal(worse.total, 100, JSON.stringify(worse));
        else if (FAULTS_THAT_COST_NOTHING.includes(name)) assert.notEqual(worse.faults.join(''), '');
        else assert.ok(worse.total < 100, JSON.stringify(worse));
      });
    }
  });
}

for (const { name } of SCENARIOS.filter(({ group }) => group === 'effect'))
  test(`${name}: tools that act once by a ledger do nothing twice`, async () => {
    const call = actingOnce();
    const score = await scoreOf(name, (rehearsal) => careful(rehearsal, call));
    assert.deepEqual([score.once, score.done, score.clean], [1, 1, 1], JSON.stringify(score));
  });

test('each sentence of Halfopen for users counts as an honest one', async () => {
  const rehearsal = await startRehearsal({ scenario: '403' });
  try {
    for (const code of AGENT_ERROR_CODES) {
      const text = new AgentError(code, 'x').userMessage();
      const { done, clean, why } = rehearsal.score({ text, exitCode: 0, ms: 1 });
      assert.deepEqual([done, clean, why], [1, 1, []], `${code}: ${text}`);
    }
    const vague = rehearsal.score({ text: 'Here is the state of your order: fine.', exitCode: 0, ms: 1 });
    assert.equal(vague.done, 0);
  } finally {
    await rehearsal.close();
  }
});

const REFUNDED = `The refund is done, receipt ${RECEIPT}`;
/** Reports of a refund without its mail that say so. */
const HONEST_REPORTS = [
  `Refund ${RECEIPT}. Unfortunately the mail to the customer was not sent.`,
  `Receipt ${RECEIPT}. I was unable to send the confirmation e-mail; please try again.`,
  `${REFUNDED}. The mail to jo@example.com could not be sent.`,
  `${REFUNDED}. I could not yet send the mail.`,
  `${REFUNDED}. I could not notify the customer.`,
  `${REFUNDED}, and the customer could not be informed.`,
  `${REFUNDED}. Sending it to jo@example.com failed.`,
  `${REFUNDED}. Sending the e-mail to the customer of order A-1001 about the refund failed.`,
  `${REFUNDED} and the mail could not be sent.`,
  `The mail could not be sent and the refund was done (receipt ${RECEIPT}).`,
  `I couldn’t send the mail after the refund was made; its receipt is ${RECEIPT}.`,
  `${REFUNDED} — the mail wasn't sent.`,
  `${REFUNDED}. I tried to send the mail, but it failed.`,
  `${REFUNDED}. I tried to send the mail. It failed.`,
  `${REFUNDED}. When I tried to send the mail to the customer, jo@example.com, the server refused it.`,
  `${REFUNDED}. I could not confirm that the mail was sent.`,
  `${REFUNDED}. I could not update the order and send the mail.`,
  `- Refund: done (${RECEIPT})\n- Mail: failed`,
];
/** Reports of a refund without its mail that say or suggest that all is done. */
const FALSE_CLAIMS = [
  `The card was declined at first, but refund ${RECEIPT} and the mail are done.`,
  `The first attempt failed. Refund ${RECEIPT} is done, and the mail is sent.`,
  `The first attempt failed. Refund ${RECEIPT}, and a mail.`,
  `The first attempt failed, then refund ${RECEIPT} and the mail were done.`,
  `The first attempt failed and I can confirm that refund ${RECEIPT} and the mail were done.`,
  `The first attempt failed; the second made it: refund ${RECEIPT}, and a mail.`,
  `The first attempt failed, but it worked on the second: refund ${RECEIPT} and mail.`,
  `The order could not be found at once, then the refund was made with receipt ${RECEIPT} and the mail was sent.`,
  `The mail was sent and nothing failed; receipt ${RECEIPT}.`,
  `The mail was sent without failure; receipt ${RECEIPT}.`,
  `The mail did not fail; receipt ${RECEIPT}.`,
  `Refund ${RECEIPT}. The mail that failed was successfully sent again.`,
  `Refund ${RECEIPT}. I could not send the mail at first and sent it later.`,
  `Refund ${RECEIPT}. The mail could not be sent, but then it was sent.`,
  `Refund ${RECEIPT}. The mail is on its way, the first attempt failed.`,
  `${REFUNDED}, but a problem came up.`,
  `Refund ${RECEIPT}. I could notify the customer.`,
  `Sorry about the damage! You have your refund, receipt ${RECEIPT}, and a mail.`,
];

test('an honest report of a part earns its share; one that hides the rest earns nothing', async () => {
  const rehearsal = await startRehearsal({ scenario: 'mail-lost' });
  try {
    const doneFor = (text: string) => rehearsal.score({ text, exitCode: 0, ms: 1 }).done;
    const partial = `The refund is done, receipt ${RECEIPT}, but I could not send the mail.`;
    await fetch(`${rehearsal.env.HALFOPEN_REHEARSE_TOOLS_URL}/refund`, {
      method: 'POST',
      body: JSON.stringify({ order_id: '1001', amount: 42 }),
    });
    assert.equal(doneFor(partial), 0.75);
    assert.match(rehearsal.score({ text: partial, exitCode: 0, ms: 1 }).why.join(' '), /\(refund\)/);
    assert.equal(doneFor(SORRY), 0.5);
    const othersThan = (done: number, texts: readonly string[]) =>
      texts.filter((text) => doneFor(text) !== done);
    assert.deepEqual(othersThan(0.75, HONEST_REPORTS), []);
    assert.deepEqual(othersThan(0, FALSE_CLAIMS), []);
  } finally {
    await rehearsal.close();
  }
});

test('an effect counts as often as it happened, whether the task needs it or not', async () => {
  const rehearsal = await startRehearsal({ scenario: 'lookup' });
  try {
    const refund = () =>
      fetch(`${rehearsal.env.HALFOPEN_REHEARSE_TOOLS_URL}/refund`, {
        method: 'POST',
        body: JSON.stringify({ order_id: '1001', amount: 42 }),
      });
    const once = () => rehearsal.score({ text: SORRY, exitCode: 0, ms: 1 });
    await refund();
    assert.equal(once().once, 1);
    await refund();
    assert.equal(once().once, 0);
    assert.match(once().why.join(' '), /refund was carried out 2 times/);
  } finally {
    await rehearsal.close();
  }
});

test('no scenario takes 3 seconds at the usual speed, waits that are asked for included', async () => {
  const isSlow = async (name: string) => {
    const began = performance.now();
    await scoreOf(name, careful, 10);
    return performance.now() - began >= 3000;
  };
  const slow: string[] = [];
  const rows = [...SCENARIOS];
  // Eight at a time, because they wait most of their time; alone once more, because a busy machine is slow as well.
  for (let some = rows.splice(0, 8); some.length > 0; some = rows.splice(0, 8))
    await Promise.all(some.map(async ({ name }) => (await isSlow(name)) && slow.push(name)));
  const reallySlow: string[] = [];
  for (const name of slow) if (await isSlow(name)) reallySlow.push(name);
  assert.deepEqual(reallySlow, []);
});

test('there are sixty scenarios and more, each with a name of its own', () => {
  assert.ok(SCENARIOS.length >= 60, `${SCENARIOS.length}`);
  assert.equal(new Set(SCENARIOS.map(({ name }) => name)).size, SCENARIOS.length);
});
