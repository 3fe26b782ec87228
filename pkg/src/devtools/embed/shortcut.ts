/** Keyboard shortcuts as they are written: `Alt+Shift+H`. */

/** The keys that must be held, and the one that is pressed, by its position (`KeyboardEvent.code`) or its name. */
export interface Shortcut {
  readonly held: ReadonlySet<string>;
  readonly key: string;
}

const HELD = ['Alt', 'Control', 'Meta', 'Shift'];

/**
 * Reads a shortcut; `undefined` if it is invalid. A single key without Alt, Control or Meta would interfere with
 * typing.
 */
export function readShortcut(text: unknown): Shortcut | undefined {
  if (typeof text !== 'string') return undefined;
  const held = text.split('+').map((part) => part.trim());
  const key = held.pop() ?? '';
  const known = held.every((name) => HELD.includes(name));
  const safe = held.some((name) => name !== 'Shift') || /^F\d{1,2}$/.test(key);
  return key === '' || HELD.includes(key) || !known || !safe ? undefined : { held: new Set(held), key };
}

/**
 * Returns `true` if an event is that shortcut. Alt changes the characters of some keyboards, so letters match by the
 * position of their key.
 */
export function matches({ held, key }: Shortcut, event: KeyboardEvent): boolean {
  const pressed = [event.altKey, event.ctrlKey, event.metaKey, event.shiftKey];
  if (!HELD.every((name, index) => held.has(name) === pressed[index])) return false;
  if (/^[a-z]$/i.test(key)) return event.code === `Key${key.toUpperCase()}`;
  if (/^\d$/.test(key)) return event.code === `Digit${key}`;
  return event.key === key;
}
