// Vitest itself, for what a user's tests with its fake timers see. The other tests run in Node's own runner.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { root: import.meta.dirname, include: ['*.vitest.ts'], testTimeout: 20_000 },
});
