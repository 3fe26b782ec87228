/** `halfopen/langchain`: LangChain's models and agents under policies. */

export { type GuardAgentOptions, guardAgent, type ModelFallback } from './agent.js';
export { failedAttemptHandler } from './failed-attempt.js';
