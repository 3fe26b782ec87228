/** Signals that are listened to: once each, however many calls they are given to. */

/** Called when its signal aborts. */
interface Listener {
  handleEvent(): void;
}

/** Node warns of a leak where one signal has more than ten listeners; an agent's task may well have more calls. */
class Watch {
  readonly listeners = new Set<Listener>();

  handleEvent(): void {
    for (const listener of [...this.listeners]) {
      try {
        listener.handleEvent();
      } catch {
        // The other calls of the signal end all the same.
      }
    }
  }
}

const watches = new WeakMap<AbortSignal, Watch>();

export function listen(signal: AbortSignal, listener: Listener): void {
  let watch = watches.get(signal);
  if (watch === undefined) {
    watch = new Watch();
    watches.set(signal, watch);
  }
  if (watch.listeners.size === 0) signal.addEventListener('abort', watch);
  watch.listeners.add(listener);
}

export function unlisten(signal: AbortSignal, listener: Listener): void {
  const watch = watches.get(signal);
  if (watch?.listeners.delete(listener) && watch.listeners.size === 0) {
    signal.removeEventListener('abort', watch);
  }
}
