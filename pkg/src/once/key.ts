/** The key of an act: a hash of what makes two calls the same act. */

import { canonical } from '../run/canonical.js';

/** Joins a store's key. No part has a '/'. */
export function storeKey(...parts: readonly string[]): string {
  return parts.map((part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\uFFFD'))).join('/');
}

/** The parts of a store's key. */
export function partsOf(key: string): readonly string[] {
  return key.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part; // Of another program.
    }
  });
}

const DEEPEST = 100;

/** Why a value is not JSON at every depth, with its path; `undefined` if it is. `lax`: members that are undefined are absent. */
export function notJson(value: unknown, lax: boolean, path = '', depth = 0): string | undefined {
  const here = path === '' ? 'it' : path;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${here} is ${value}`;
  if (typeof value !== 'object')
    return `${here} is ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}`;
  if (depth > DEEPEST) return `${here} is nested too deeply, or contains itself`;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const wrong = notJson(value[at], lax, `${path}[${at}]`, depth + 1);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain || typeof (value as { toJSON?: unknown }).toJSON === 'function')
    return `${here} is a ${prototype?.constructor?.name ?? 'value with toJSON'}`;
  for (const [name, member] of Object.entries(value)) {
    if (lax && member === undefined) continue;
    const wrong = notJson(member, lax, path === '' ? name : `${path}.${name}`, depth + 1);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

interface NodeCrypto {
  createHash(algorithm: string): { update(text: string): { digest(encoding: 'hex'): string } };
  createHmac(algorithm: string, key: string): { update(text: string): { digest(encoding: 'hex'): string } };
}

/** Node's module, which hashes at once; `undefined` on a platform without it. */
function nodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined };
  };
  try {
    return process?.getBuiltinModule?.('node:crypto');
  } catch {
    return undefined;
  }
}

/**
 * Hashes an act's name and key, in hexadecimal: HMAC-SHA-256 with the secret, SHA-256 without one.
 *
 * @throws TypeError for a key that is not JSON at every depth: what JSON drops would make two acts one.
 */
export async function hashedKey(name: string, key: unknown, secret: string | undefined): Promise<string> {
  const wrong = notJson(key, false);
  if (wrong !== undefined)
    throw new TypeError(
      `halfopen: the key of '${name}' must be JSON: ${wrong}. Return what makes two calls the same act`,
    );
  const text = canonical([name, key]);
  const node = nodeCrypto();
  if (node !== undefined) {
    const hash = secret === undefined ? node.createHash('sha256') : node.createHmac('sha256', secret);
    return hash.update(text).digest('hex');
  }
  // Node 18 has no global `crypto`.
  const { subtle } = globalThis.crypto ?? (await import('node:crypto')).webcrypto;
  const bytes = new TextEncoder();
  if (secret === undefined) return hex(await subtle.digest('SHA-256', bytes.encode(text)));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign']);
  return hex(await subtle.sign('HMAC', imported, bytes.encode(text)));
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
