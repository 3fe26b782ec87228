/** Reads of foreign objects, and copies of them with some fields changed. Nothing here alters what it is given. */

export type Fields = Readonly<Record<string, unknown>>;

/** Returns `true` if a value has fields to read: an object that is neither an array nor a function. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of a value; none for what is no object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * A copy with some fields replaced. `undefined` removes a field. The copy keeps the prototype, and getters that are not
 * replaced are not called.
 */
export function withFields<T extends object>(value: T, changes: Fields): T {
  const fields: Record<string, PropertyDescriptor> = {};
  for (const [key, field] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (!Object.hasOwn(changes, key)) fields[key] = { ...field, ...('value' in field && { writable: true }) };
    else if (changes[key] !== undefined) fields[key] = plain(changes[key]);
    if (fields[key] !== undefined) fields[key].configurable = true;
  }
  for (const [key, change] of Object.entries(changes)) {
    if (change !== undefined && fields[key] === undefined) fields[key] = plain(change);
  }
  return Object.create(Object.getPrototypeOf(value), fields);
}

function plain(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: true, configurable: true };
}

export function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
