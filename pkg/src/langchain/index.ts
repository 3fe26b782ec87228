/** `halfopen/langchain`: LangChain's agents under policies. */

export { type GuardAgentOptions, guardAgent, type ModelFallback } from './agent.js';
