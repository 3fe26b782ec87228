// The globals that React Native adds to its engine, as far as the package needs them, run before the application:
// Hermes by itself is JavaScript alone. Hermes 0.12 has the newest command that npm offers; globals of later versions
// are marked.

// Hermes 0.13
Symbol.asyncIterator ??= Symbol('Symbol.asyncIterator');

globalThis.performance ??= { now: () => Date.now() };
globalThis.queueMicrotask ??= (callback) => void Promise.resolve().then(callback);

// Hermes of React Native 0.74. UTF-8 by the one function of the language that knows it.
globalThis.TextEncoder ??= class {
  encode(text) {
    const escaped = encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'));
    return Uint8Array.from(escaped.match(/%..|[^%]/g) ?? [], (one) =>
      one.length === 3 ? Number.parseInt(one.slice(1), 16) : one.charCodeAt(0),
    );
  }
  encodeInto(text, view) {
    const bytes = this.encode(text).subarray(0, view.length);
    view.set(bytes);
    return { read: text.length, written: bytes.length };
  }
};

// Hermes of December 2025; before that, applications bring one.
globalThis.TextDecoder ??= class {
  decode(bytes = []) {
    const hex = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`);
    return decodeURIComponent(hex.join(''));
  }
};

// React Native's are those of the package abort-controller.
globalThis.AbortController ??= class {
  signal = {
    aborted: false,
    reason: undefined,
    listeners: new Set(),
    addEventListener(_type, listener) {
      this.listeners.add(listener);
    },
    removeEventListener(_type, listener) {
      this.listeners.delete(listener);
    },
  };
  abort(reason) {
    const { signal } = this;
    if (signal.aborted) return;
    Object.assign(signal, { aborted: true, reason });
    for (const listener of signal.listeners) listener({ type: 'abort', target: signal });
  }
};
