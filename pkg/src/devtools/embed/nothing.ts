/** `halfopen/devtools/embed` in production: the same names, and nothing behind them. */

import type { EmbeddedDevtools, EmbedOptions } from './index.js';

export type { Dock, EmbeddedDevtools, EmbedOptions } from './index.js';

/** Does nothing in production. */
export function mountDevtools(_target?: Element | null, _options?: EmbedOptions): EmbeddedDevtools {
  return { open: false, dropped: 0, show() {}, hide() {}, toggle() {}, unmount() {} };
}

/** Does nothing in production: the element stays unknown, and empty. */
export function defineDevtoolsElement(_name?: string): void {}
