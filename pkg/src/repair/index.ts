/** `halfopen/repair`: conversations that a provider refuses, and what to do about them. */

export { type ApplyRemedyOptions, applyRemedy } from './apply.js';
export type { RequestFormat } from './conversation.js';
export { feedbackFor } from './feedback-for.js';
export {
  type ConversationOptions,
  type ConversationProblem,
  findProblems,
  type RepairedRequest,
  repairConversation,
} from './problems.js';
