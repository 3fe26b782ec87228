/** The panel around the frame: docked at an edge or filling its target, shown and hidden, made larger and smaller. */

import type { Frame } from './frame.js';

/** The dashboard's position in the page. */
export type Dock = 'bottom' | 'right' | 'fill';

export interface PanelOptions {
  readonly target: Element;
  readonly frame: Frame;
  readonly dock: Dock;
  readonly shortcut: string | undefined;
  readonly onChange: (open: boolean) => void;
}

const STYLE = `
:host { all: initial; display: contents; color-scheme: light dark; }
.panel { box-sizing: border-box; display: flex; flex-direction: column; background: Canvas; color: CanvasText;
  font: 12px/1.4 system-ui, sans-serif; border: 0 solid GrayText; }
.panel[hidden] { display: none; }
.bottom { position: fixed; inset: auto 0 0 0; height: calc(var(--size) * 1vh); border-top-width: 1px; z-index: 2147483000; }
.right { position: fixed; inset: 0 0 0 auto; width: min(100vw, calc(var(--size) * 1vw)); border-left-width: 1px; z-index: 2147483000; }
.fill { width: 100%; height: 100%; min-height: 320px; }
header { display: flex; align-items: center; gap: 8px; flex: none; height: 28px; padding: 0 6px 0 12px; }
header span { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
button { min-width: 24px; height: 24px; padding: 0 6px; border: 0; border-radius: 4px; background: none; color: inherit; font: inherit; cursor: pointer; }
button:hover { background: color-mix(in srgb, CanvasText 12%, transparent); }
button:focus-visible, .grip:focus-visible { outline: 2px solid Highlight; outline-offset: -2px; }
.grip { flex: none; touch-action: none; }
.bottom .grip { position: absolute; inset: -4px 0 auto 0; height: 8px; cursor: ns-resize; }
.right .grip { position: absolute; inset: 0 auto 0 -4px; width: 8px; cursor: ew-resize; }
.fill .grip { display: none; }
iframe { flex: 1; width: 100%; min-height: 0; border: 0; background: Canvas; }
`;

/** Shares of the window, in percent. */
const SIZE = { first: 50, least: 20, most: 95, step: 5 };

export class Panel {
  private readonly host: HTMLElement;
  private readonly panel: HTMLElement;
  private readonly grip: HTMLElement;
  private readonly options: PanelOptions;
  private size = SIZE.first;
  private before: Element | null = null;

  constructor(options: PanelOptions) {
    this.options = options;
    const { target, frame, dock, shortcut } = options;
    this.host = document.createElement('div');
    const root = this.host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet(); // a constructed one needs no 'unsafe-inline'
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    this.panel = make('section', { class: `panel ${dock}`, 'aria-label': 'Halfopen devtools' });
    this.panel.hidden = true;
    const upright = dock === 'right';
    this.grip = make('div', {
      class: 'grip',
      role: 'separator',
      tabindex: '0',
      'aria-label': 'Size of the devtools',
      'aria-orientation': upright ? 'vertical' : 'horizontal',
      'aria-valuemin': String(SIZE.least),
      'aria-valuemax': String(SIZE.most),
    });
    this.grip.addEventListener('keydown', (event) => this.onGripKey(event));
    this.grip.addEventListener('pointerdown', (event) => this.onGrab(event));
    const header = make('header', {});
    const title = make('span', {});
    title.textContent = shortcut === undefined ? 'Halfopen' : `Halfopen · ${shortcut}`;
    const close = make('button', { type: 'button', 'aria-label': 'Hide the devtools', title: 'Hide' });
    close.textContent = '✕';
    close.addEventListener('click', () => this.hide());
    header.append(title, close);
    this.panel.append(this.grip, header, frame.element);
    root.append(this.panel);
    this.resize(this.size);
    target.append(this.host);
  }

  get open(): boolean {
    return !this.panel.hidden;
  }

  show(): void {
    if (this.open) return;
    this.before = document.activeElement;
    this.panel.hidden = false;
    this.options.frame.start();
    this.options.onChange(true);
  }

  hide(): void {
    if (!this.open) return;
    const within = this.host.shadowRoot?.activeElement !== null;
    this.panel.hidden = true;
    // Returns the focus to its earlier element.
    if (within && this.before instanceof HTMLElement) this.before.focus();
    this.options.onChange(false);
  }

  toggle(): void {
    if (this.open) {
      this.hide();
    } else {
      this.show();
      this.options.frame.element.focus();
    }
  }

  remove(): void {
    this.host.remove();
  }

  private resize(size: number): void {
    this.size = Math.min(SIZE.most, Math.max(SIZE.least, size));
    this.panel.style.setProperty('--size', String(this.size));
    this.grip.setAttribute('aria-valuenow', String(Math.round(this.size)));
  }

  private onGripKey(event: KeyboardEvent): void {
    const larger = this.options.dock === 'right' ? 'ArrowLeft' : 'ArrowUp';
    const smaller = this.options.dock === 'right' ? 'ArrowRight' : 'ArrowDown';
    if (event.key !== larger && event.key !== smaller) return;
    event.preventDefault();
    this.resize(this.size + (event.key === larger ? SIZE.step : -SIZE.step));
  }

  private onGrab(event: PointerEvent): void {
    this.grip.setPointerCapture(event.pointerId);
    const { element } = this.options.frame;
    element.style.pointerEvents = 'none'; // else the frame takes the pointer
    const move = ({ clientX, clientY }: PointerEvent) =>
      this.resize(
        this.options.dock === 'right'
          ? (1 - clientX / window.innerWidth) * 100
          : (1 - clientY / window.innerHeight) * 100,
      );
    const stop = () => {
      element.style.pointerEvents = '';
      this.grip.removeEventListener('pointermove', move);
    };
    this.grip.addEventListener('pointermove', move);
    this.grip.addEventListener('lostpointercapture', stop, { once: true });
  }
}

function make(tag: string, attributes: Record<string, string>): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
