/**
 * `halfopen/devtools/embed` in development: the dashboard within a page of one's own.
 *
 * The panel lives in a shadow root and the dashboard in a frame of its own, so that neither's styles, keys or address
 * reach the other. In production `nothing.ts` replaces this module.
 */

import { type HalfopenEvent, onEvent } from '../../event/events.js';
import { either, flag, kind, no, oneOf, readOptions, type Shape } from '../../options.js';
import type { EventSource } from '../connect.js';
import { bufferSize, channelName, eventSources, someText } from '../kinds.js';
import { Frame } from './frame.js';
import { type Dock, Panel } from './panel.js';
import { matches, readShortcut } from './shortcut.js';

export type { Dock };

/** How the dashboard is shown, and with which events. */
export interface EmbedOptions {
  /** Shows and hides it, e.g. `'Control+Alt+D'`; `false` for none. Default `'Alt+Shift+H'`. */
  shortcut?: string | false | undefined;
  /** `true` shows it at once. Default: as it was left in this tab, at first hidden. */
  open?: boolean | undefined;
  /**
   * At an edge of the browser window, or over all of the target. Default `'bottom'`; `'fill'` if a target is given.
   */
  dock?: Dock | undefined;
  /** The policies whose events are shown. Default: every policy in this page. */
  policies?: readonly EventSource[] | undefined;
  /** A BroadcastChannel whose events are shown too (workers and other tabs, by `connectDevtools`). Default `'halfopen'`. */
  channel?: string | false | undefined;
  /** How many events are kept until it is shown; beyond that the oldest are dropped. Default 10,000. */
  buffer?: number | undefined;
  /**
   * A page of this origin that serves the `index.html` written by `npx halfopen dashboard <folder>`: for a
   * Content-Security-Policy that does not allow `blob:` scripts. Default: none, the files come with this module.
   */
  src?: string | undefined;
}

/** The dashboard in the page. */
export interface EmbeddedDevtools {
  /** `true` while it is shown. */
  readonly open: boolean;
  /** Events that were dropped before they were shown. */
  readonly dropped: number;
  /** Shows it, as its shortcut does, and fetches its code the first time. */
  show(): void;
  /** Hides it. It keeps recording, and has the events when it is shown again. */
  hide(): void;
  /** Shows it if it is hidden, and hides it if it is shown. */
  toggle(): void;
  /** Takes it out of the page. May be called again. */
  unmount(): void;
}

const SHAPE: Shape = {
  shortcut: either(
    kind("keys joined by '+', such as 'Alt+Shift+H'", (value) => readShortcut(value) !== undefined),
    no,
  ),
  open: flag,
  dock: oneOf('bottom', 'right', 'fill'),
  policies: eventSources,
  channel: channelName,
  buffer: bufferSize,
  src: someText('a URL'),
};

const REMEMBERED = 'halfopen-devtools-open';
const DEFAULT_SHORTCUT = 'Alt+Shift+H';

/**
 * Puts the dashboard into the page. Its code is fetched when it is first shown. Without a document (a server that
 * renders), nothing happens.
 *
 * @param target - the element it is put into. Default: the page's body, docked at its bottom.
 * @throws {TypeError} at once, for an option that is wrong or unknown.
 *
 * @example
 * ```ts
 * import { mountDevtools } from 'halfopen/devtools/embed';
 * mountDevtools(); // Alt+Shift+H shows and hides it
 * ```
 */
export function mountDevtools(target?: Element | null, options: EmbedOptions = {}): EmbeddedDevtools {
  const {
    shortcut = DEFAULT_SHORTCUT,
    open = wasOpen(),
    dock = target ? 'fill' : 'bottom',
    policies,
    channel = 'halfopen',
    buffer = 10_000,
    src,
  } = readOptions<EmbedOptions>(SHAPE, options, 'mountDevtools');
  if (typeof document === 'undefined') return nowhere;
  const keys = shortcut === false ? undefined : readShortcut(shortcut);
  const onKey = (event: KeyboardEvent) => {
    if (keys === undefined || event.defaultPrevented || !matches(keys, event)) return;
    event.preventDefault();
    panel.toggle();
  };
  const frame = new Frame({ src, buffer, onKey });
  const panel = new Panel({
    target: target ?? document.body,
    frame,
    dock,
    shortcut: shortcut === false ? undefined : shortcut,
    onChange: remember,
  });
  const push = (event: HalfopenEvent) => frame.push(event);
  const stops = policies === undefined ? [onEvent(push)] : policies.map((policy) => policy.onEvent(push));
  const others =
    channel === false || typeof BroadcastChannel !== 'function' ? undefined : new BroadcastChannel(channel);
  others?.addEventListener('message', ({ data }: MessageEvent) => frame.push(data));
  window.addEventListener('keydown', onKey);
  if (open) panel.show();
  return {
    get open() {
      return panel.open;
    },
    get dropped() {
      return frame.dropped;
    },
    show: () => panel.show(),
    hide: () => panel.hide(),
    toggle: () => panel.toggle(),
    unmount() {
      for (const stop of stops.splice(0)) stop();
      others?.close();
      window.removeEventListener('keydown', onKey);
      panel.remove();
      frame.close();
    },
  };
}

const nowhere: EmbeddedDevtools = {
  open: false,
  dropped: 0,
  show() {},
  hide() {},
  toggle() {},
  unmount() {},
};

function wasOpen(): boolean {
  try {
    return sessionStorage.getItem(REMEMBERED) === 'yes';
  } catch {
    return false;
  }
}

function remember(open: boolean): void {
  try {
    sessionStorage.setItem(REMEMBERED, open ? 'yes' : 'no');
  } catch {
    // A page without storage: nothing is remembered.
  }
}

/**
 * Defines `<halfopen-devtools>`, with the attributes `shortcut`, `dock`, `channel`, `src` (`shortcut="none"` and
 * `channel="none"` for none) and `open`. It fills its own box, or docks at the edge that `dock` names.
 *
 * @throws {TypeError} at once, for a name that no element may have.
 *
 * @example
 * ```ts
 * import { defineDevtoolsElement } from 'halfopen/devtools/embed';
 * defineDevtoolsElement(); // <halfopen-devtools dock="right"></halfopen-devtools>
 * ```
 */
export function defineDevtoolsElement(name = 'halfopen-devtools'): void {
  if (typeof customElements === 'undefined') return;
  if (!/^[a-z][\w.]*-[\w.-]*$/.test(name)) {
    throw new TypeError(`halfopen: defineDevtoolsElement expects a name with a hyphen, got '${name}'`);
  }
  if (customElements.get(name) !== undefined) return;
  class HalfopenDevtools extends HTMLElement {
    private mounted: EmbeddedDevtools | undefined;

    connectedCallback(): void {
      if (!this.hasAttribute('dock')) this.style.display ||= 'block';
      const given = (attribute: string) => this.getAttribute(attribute) ?? undefined;
      const orNone = (attribute: string) => (given(attribute) === 'none' ? false : given(attribute));
      this.mounted = mountDevtools(this, {
        shortcut: orNone('shortcut'),
        channel: orNone('channel'),
        dock: given('dock') as Dock | undefined,
        src: given('src'),
        open: this.hasAttribute('open') || undefined,
      });
    }

    disconnectedCallback(): void {
      this.mounted?.unmount();
      this.mounted = undefined;
    }
  }
  customElements.define(name, HalfopenDevtools);
}
