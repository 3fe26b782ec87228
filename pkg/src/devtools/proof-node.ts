/** Proofs with Node's own cryptography: the server's side, and that of agents on Node, Bun and Deno. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Claim, proofText } from './proof.js';

/** The proof that a server with this secret gives for a nonce. */
export function prove(secret: string, nonce: string, port: number): string {
  return createHmac('sha256', secret).update(proofText(nonce, port)).digest('hex');
}

/** Returns `true` if a claim was made with the secret. Compares in constant time. */
export function holds({ port, proof }: Claim, secret: string, nonce: string): boolean {
  return timingSafeEqual(Buffer.from(proof, 'hex'), Buffer.from(prove(secret, nonce, port), 'hex'));
}

/** Returns a nonce that was never used before. */
export function newNonce(): string {
  return randomBytes(24).toString('base64url');
}
