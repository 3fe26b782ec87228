/** Sets properties of errors by definition, because an assignment may meet a setter or a frozen prototype. */

/** Sets a property that JSON and copies leave out. */
export function hide(target: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
}

/** Sets a property that can be listed. */
export function show(target: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
}
