// The contract of `halfopen/fleet/conformance`.
import type { FleetStore } from 'halfopen/fleet';

/** Runs the suite that every adapter must pass; rejects with the first case that fails. */
export function checkStore(make: () => Promise<FleetStore>): Promise<{ cases: number }>;
