// Imports of the AI SDK resolve to the version of this folder: `node --import ./resolve.mjs`. The package under test
// imports it too.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const isHost = /^(?:ai|@ai-sdk\/[\w-]+)(?:\/|$)/.test(specifier);
    const isOurs = !context.parentURL?.includes('/node_modules/');
    return next(specifier, isHost && isOurs ? { ...context, parentURL: import.meta.url } : context);
  },
});
