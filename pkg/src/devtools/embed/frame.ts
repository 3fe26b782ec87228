/**
 * The frame that the dashboard runs in, and the way of events into it.
 *
 * A frame of this page's origin, made of the files that come with the package. Its document has no address, its style
 * sheet is a constructed one, its script a blob. The newest `buffer` events are kept, because a dashboard that begins,
 * or begins again, requests all of them.
 */

/** The name by which the dashboard knows that it is embedded (web/src/source/embedded.rs). */
const FRAME = 'halfopen-embedded';
const READY = 'halfopen:ready';
/** Events are sent together, this often. */
const BATCH_MS = 100;

export interface FrameOptions {
  readonly src: string | undefined;
  readonly buffer: number;
  /** Called for keys that are pressed in the frame. */
  readonly onKey: (event: KeyboardEvent) => void;
}

type Files = typeof import('./files.js');

/** One frame. */
export class Frame {
  readonly element: HTMLIFrameElement;
  private readonly options: FrameOptions;
  private readonly kept: unknown[] = [];
  /** How many of all events the present dashboard has received. */
  private sent = 0;
  private pushed = 0;
  private ready = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private started = false;

  constructor(options: FrameOptions) {
    this.options = options;
    this.element = document.createElement('iframe');
    this.element.name = FRAME;
    this.element.title = 'Halfopen dashboard';
    this.element.allow = 'clipboard-write';
    window.addEventListener('message', this.onMessage);
  }

  /** How many events were dropped. */
  get dropped(): number {
    return this.pushed - this.kept.length;
  }

  /** Takes an event, several, or their lines. */
  push(event: unknown): void {
    if (Array.isArray(event)) {
      for (const one of event) this.push(one);
      return;
    }
    this.kept.push(event);
    this.pushed += 1;
    // Dropped in slices, because moving ten thousand entries for each event would cost more than the event.
    if (this.kept.length >= this.options.buffer * 1.1)
      this.kept.splice(0, this.kept.length - this.options.buffer);
    if (this.ready) this.timer ??= setTimeout(() => this.send(), BATCH_MS);
  }

  /** Loads the dashboard, only once. The element must be in the document. */
  start(): void {
    if (this.started) return;
    this.started = true;
    this.element.addEventListener('load', () => void this.loaded());
    if (this.options.src === undefined) void this.write();
    else this.element.src = this.options.src;
  }

  close(): void {
    clearTimeout(this.timer);
    window.removeEventListener('message', this.onMessage);
    this.element.remove();
  }

  private readonly onMessage = ({ source, data }: MessageEvent): void => {
    if (source === null || source !== this.element.contentWindow || data !== READY) return;
    this.ready = true;
    this.sent = this.dropped;
    this.send();
  };

  private send(): void {
    this.timer = undefined;
    const from = Math.max(0, this.sent - this.dropped);
    const lines = this.kept
      .slice(from)
      .map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
    this.sent = this.pushed;
    // To this origin, or to the one of `src`; a frame without an address has this page's.
    const { src } = this.options;
    const origin = src === undefined ? '*' : new URL(src, location.href).origin;
    if (lines.length > 0) this.element.contentWindow?.postMessage(lines, origin);
  }

  private async write(): Promise<void> {
    try {
      this.files = await import('./files.js');
      this.element.srcdoc = this.files.html;
    } catch (error) {
      this.refuse(`The dashboard's files could not be loaded: ${String(error)}`);
    }
  }

  private files: Files | undefined;

  private async loaded(): Promise<void> {
    const { contentWindow: page, contentDocument: within } = this.element;
    if (page === null || within === null) return;
    page.addEventListener('keydown', this.options.onKey);
    // Firefox also fires `load` for the empty document with which every frame begins.
    if (this.files === undefined || within.URL !== 'about:srcdoc') return;
    // The files are kept: a dashboard that stopped offers to reload its frame, and then all of this happens again.
    const { files, css, script, wasm, answers } = this.files;
    const inflated = (name: string) => unpacked(files[name] ?? '');
    try {
      const sheet = new (page as Window & typeof globalThis).CSSStyleSheet();
      sheet.replaceSync(await inflated(css).text());
      within.adoptedStyleSheets = [sheet];
      // The second module is unpacked when the dashboard requests it (web/src/answers.rs).
      Object.assign(page, {
        halfopenWasm: await inflated(wasm).arrayBuffer(),
        halfopenAnswers: () => inflated(answers).arrayBuffer(),
        halfopenLab: labFiles,
      });
      const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
      const starter = within.createElement('script');
      starter.type = 'module';
      starter.src = url;
      starter.onload = () => URL.revokeObjectURL(url);
      starter.onerror = () =>
        this.refuse(
          "This page's Content-Security-Policy does not allow the dashboard's script. Allow blob: in script-src " +
            'while developing, or serve what `npx halfopen dashboard <folder>` writes from this origin and name it by `src`.',
        );
      within.head.append(starter);
    } catch (error) {
      this.refuse(`The dashboard did not start: ${String(error)}`);
    }
  }

  /** Says in the frame why there is no dashboard. */
  private refuse(why: string): void {
    const body = this.element.contentDocument?.body;
    if (body) body.textContent = why;
  }
}

/** Loads the files of the Lab view when it is opened (web/src/view/lab/worker.rs). */
async function labFiles(): Promise<{ script: string; module: ArrayBuffer }> {
  const { script, module } = await import('./lab-files.js');
  const bytes = module();
  return { script, module: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) };
}

function unpacked(base64: string): Response {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
}
