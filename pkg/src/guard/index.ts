/** `halfopen/guard`: the clients of OpenAI, Anthropic and Google under a policy. */

export { answerFetch, type GuardOptions } from './answer-fetch.js';
export { guard } from './guard.js';
