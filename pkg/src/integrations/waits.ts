/** What hosts that retry by themselves let an application say of their waits. */

import * as is from '../options.js';
import { retryShape } from '../retry/options.js';

/** The options of retries without those that the host, or the policy inside of it, decides. */
export const waitShape: is.Shape = /* @__PURE__ */ is.without(
  retryShape,
  'enabled',
  'backoff',
  'enableJitter',
  'retryOn',
  'onRetry',
  'retryNested',
  'budget',
);
