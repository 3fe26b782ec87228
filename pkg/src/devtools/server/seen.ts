/**
 * The recently stored events: their pairs (source, seq), in bounded memory.
 *
 * An agent without a response sends its batch again, so the same event may come twice. Each source has a bitmap over
 * its newest 65,536 sequence numbers (8 KiB). An agent keeps at most 10,000 events while the server is away, so
 * repeated events lie well inside. The 1,024 most recent sources are kept.
 */

const WINDOW = 65_536;
const SOURCES = 1_024;

/** The result of `SeenEvents.add`: `new` is now marked, `duplicate` was, `old` lies below the window. */
type Seen = 'new' | 'duplicate' | 'old';

interface SeenWindow {
  highest: number;
  readonly bits: Uint32Array;
}

/** The set of events stored of late. */
export class SeenEvents {
  private readonly bySource = new Map<string, SeenWindow>();

  /** How many sources are known. */
  get sources(): number {
    return this.bySource.size;
  }

  /** Marks an event and says whether that was news. */
  add(source: string, seq: number): Seen {
    const window = this.window(source, seq);
    if (seq > window.highest) {
      advance(window, seq);
    } else if (seq <= window.highest - WINDOW) {
      return 'old';
    }
    const { word, bit } = place(seq);
    const before = window.bits[word] ?? 0;
    if ((before & bit) !== 0) return 'duplicate';
    window.bits[word] = before | bit;
    return 'new';
  }

  /** Removes a mark, for an event that could not be written after all. */
  remove(source: string, seq: number): void {
    const window = this.bySource.get(source);
    if (window === undefined || seq > window.highest || seq <= window.highest - WINDOW) return;
    const { word, bit } = place(seq);
    window.bits[word] = (window.bits[word] ?? 0) & ~bit;
  }

  /** Returns the window of a source, and makes it if needed. The map's order is that of use. */
  private window(source: string, seq: number): SeenWindow {
    let window = this.bySource.get(source);
    if (window === undefined) {
      window = { highest: seq, bits: new Uint32Array(WINDOW / 32) };
      if (this.bySource.size >= SOURCES) {
        for (const oldest of this.bySource.keys()) {
          this.bySource.delete(oldest);
          break;
        }
      }
    } else {
      this.bySource.delete(source);
    }
    this.bySource.set(source, window);
    return window;
  }
}

function place(seq: number): { word: number; bit: number } {
  const index = seq % WINDOW;
  return { word: index >>> 5, bit: 1 << (index & 31) };
}

/** Moves the window's upper end to `seq`. The freed places belong to numbers not seen yet. */
function advance(window: SeenWindow, seq: number): void {
  if (seq - window.highest >= WINDOW) {
    window.bits.fill(0);
  } else {
    for (let free = window.highest + 1; free <= seq; free += 1) {
      const { word, bit } = place(free);
      window.bits[word] = (window.bits[word] ?? 0) & ~bit;
    }
  }
  window.highest = seq;
}
