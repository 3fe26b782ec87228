/**
 * How a server proves to an agent that it is the agent's own, before the agent sends it anything.
 *
 * Any program may listen on a port that a server has left. So an agent that knows the server's secret (its token) first
 * sends a random nonce to `/health?nonce=`; the server answers with an HMAC of it. The port that the server listens on
 * is part of what is signed: a program in between could pass the nonce on to a server on another port.
 */

/** The response of `/health`. */
interface Health {
  readonly instance?: unknown;
  readonly port?: unknown;
  /** HMAC-SHA-256 of {@link proofText}, in hexadecimal digits; only where a nonce was sent. */
  readonly proof?: unknown;
}

/** Returns the text that a proof signs. */
export function proofText(nonce: string, port: number): string {
  return `halfopen devtools ${port} ${nonce}`;
}

/** The nonces that a server signs: nothing else could be taken for a text of another purpose. */
export const NONCE = /^[\w-]{16,128}$/;

/** A claim of a server: that it listens on `port` and knows the secret. */
export interface Claim {
  readonly port: number;
  readonly proof: string;
}

/** Reads the answer of `/health`; `undefined` for what holds no claim. */
export function readClaim(body: string): Claim | undefined {
  try {
    const { port, proof } = (JSON.parse(body) ?? {}) as Health;
    return Number.isInteger(port) && typeof proof === 'string' && /^[0-9a-f]{64}$/.test(proof)
      ? { port: port as number, proof }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The port that a URL leads to. */
export function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}
