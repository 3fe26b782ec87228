// The contract of `halfopen/fleet/durable-object`.
import type { FleetStore } from 'halfopen/fleet';

export class FleetObject { constructor(state: unknown, env: unknown); fetch(request: Request): Promise<Response> }
export function durableObjectStore(namespace: unknown): FleetStore;
