/** `halfopen/once`: tools that act once. A retry, a second plan, a failover or a new process does not pay, send or delete twice. */

export {
  type Act,
  createLedger,
  type Ledger,
  type LedgerOptions,
  type OnceOptions,
  type Verified,
} from './ledger.js';
export { memoryStore, type OnceStore } from './store.js';
