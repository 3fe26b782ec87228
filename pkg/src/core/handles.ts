/** The core's state of an object of the package, kept under a number, is freed when the object is collected. */

import { unlessTrapped } from './instance.js';

/** A module, as far as its present instance goes. */
interface Instances {
  readonly instanceNumber: number;
}

/** A number in one instance of a module, and what frees what is behind it. */
interface Held {
  readonly module: Instances;
  readonly instance: number;
  readonly handle: number;
  readonly free: (handle: number) => void;
}

let registry: FinalizationRegistry<Held> | undefined;

/**
 * Frees `handle` of the module's present instance when the owner is collected. After a trap the instance is gone, and with it
 * what the number stood for: nothing is freed then. Does nothing where the platform cannot say that an object was collected.
 */
export function freeWith(
  owner: object,
  module: Instances,
  handle: number,
  free: (handle: number) => void,
): void {
  if (typeof FinalizationRegistry === 'undefined') return;
  registry ??= new FinalizationRegistry(release);
  registry.register(owner, { module, instance: module.instanceNumber, handle, free });
}

function release({ module, instance, handle, free }: Held): void {
  if (instance === module.instanceNumber) unlessTrapped(() => free(handle));
}
