/** `halfopen/ai-sdk`: the AI SDK's models and calls under a policy. */

export type { StreamContext } from '../call/stream.js';
export type { ModelAnswer, ModelSwitchOptions, ModelTarget } from './failover-call.js';
export { type FailoverModelOptions, failoverModel } from './failover-model.js';
export { type GuardCallOptions, guardCall, type Restarting } from './guard-call.js';
export type { GuardModelOptions } from './guarded-model.js';
export { type GuardMiddleware, guardMiddleware } from './middleware.js';
export type { GuardCallContext } from './repaired-options.js';
export { type RunSettingsOptions, runSettings } from './run-settings.js';
