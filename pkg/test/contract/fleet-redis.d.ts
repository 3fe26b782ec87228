// The contract of `halfopen/fleet/redis`.
import type { FleetStore } from 'halfopen/fleet';

/** A client of `ioredis` or `redis`, single, sentinel or cluster; stays the caller's. */
export function redisStore(client: unknown, options?: { prefix?: string | undefined }): FleetStore;
