// A support desk's agent on the day its provider is down: the incident that docs and tests of the dashboard look at.
//
//   node --import tsx examples/incident.ts
//
// Answers to common questions have a fallback, refunds do not. The breaker counts calls, not attempts, which is the
// default, so it opens after five calls of three attempts each. Run `npx halfopen devtools --open` beside it.

import { createPolicy } from 'halfopen';
import { connectDevtools } from 'halfopen/devtools';
import OpenAI from 'openai';
import { type Fault, times } from './faulty-provider/faults.js';
import { startFaultyProvider } from './faulty-provider/server.js';
import { narrate, say } from './narrate.js';

const fine = (text: string): Fault => ({ kind: 'ok', text });

const provider = await startFaultyProvider({
  openai: [
    // The morning.
    fine('We open at nine.'),
    { kind: 'rate-limited', retryAfterMs: 400 },
    fine('By the second door.'),
    fine('It is on its way.'),
    { kind: 'server-error' },
    fine('Yes, in blue.'),
    // The outage: five questions of three attempts each, then two probes of the breaker.
    ...times(15, { kind: 'server-error' }),
    ...times(3, { kind: 'overloaded' }),
  ],
  anthropic: [],
});
const devtools = connectDevtools();
const openai = new OpenAI({ baseURL: provider.openaiUrl, apiKey: 'sk-no-real-key', maxRetries: 0 });

const desk = createPolicy({
  name: 'support-desk',
  provider: 'openai',
  model: 'gpt-5',
  // Short times, so that the incident takes some ten seconds; an agent would keep the defaults.
  retry: { maxRetries: 2, baseDelayMs: 200, maxDelayMs: 1_000 },
  timeout: { attemptMs: 2_000 },
  breaker: { failureThreshold: 5, resetTimeoutMs: 2_000 },
  seed: 7,
});
narrate(desk);

function ask(task: string, fallback?: string): Promise<string | undefined> {
  const answer = desk.execute(
    async ({ signal }) => {
      const completion = await openai.chat.completions.create(
        { model: 'gpt-5', messages: [{ role: 'user', content: task }] },
        { signal },
      );
      return completion.choices[0]?.message.content ?? '';
    },
    fallback === undefined ? { task } : { task, fallback: () => fallback },
  );
  // If a refund fails, the customer reads why, and the desk goes on.
  return answer.catch(() => undefined);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const FAQ = 'Our questions and answers: https://example.com/help';

say('The morning: a rate limit that asks for 400 milliseconds, an error that one retry mends.');
await ask('opening hours', FAQ);
await ask('parking', FAQ);
await ask('refund 1041');
await ask('blue ones?', FAQ);

say('The outage. Five questions are retried to their end; the fifth opens the breaker.');
await ask('delivery time', FAQ);
await ask('warranty', FAQ);
await ask('refund 1042');
await ask('sizes', FAQ);
await ask('gift cards', FAQ);

say('The breaker is open: OpenAI is not asked, and a refund is told so at once.');
await ask('refund 1043');
await Promise.all(['returns', 'newsletter', 'careers'].map((task) => ask(task, FAQ)));

say('The first probe fails; the breaker opens again.');
await pause(desk.breaker?.retryAfterMs ?? 0);
await ask('vouchers', FAQ);
await ask('repairs', FAQ);

say('OpenAI is back.');
await pause(desk.breaker?.retryAfterMs ?? 0);
await ask('refund 1042, again');
await ask('opening hours on Sunday', FAQ);

say(`Done. ${provider.received.length} requests reached the provider.`);
await devtools.close();
await provider.close();
