/** The validators' common parts. Requests are loosely typed here: the validators judge them as a server would. */

// biome-ignore lint/suspicious/noExplicitAny: a request of any format, broken in any way
export type Any = any;

export const isBlank = (text: unknown) => typeof text === 'string' && text.trim() === '';

export const repeated = (items: readonly unknown[]) => new Set(items).size < items.length;
