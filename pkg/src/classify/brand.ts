/** How an AgentError is known: of whichever realm, and of whichever copy or version of this package. */

/** On the prototype of every AgentError. */
export const BRAND: unique symbol = Symbol.for('halfopen.AgentError') as never;

/** Whether the value is an AgentError. Never throws: a proxy that does is none. */
export function isBranded(value: unknown): boolean {
  try {
    return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
  } catch {
    return false;
  }
}
