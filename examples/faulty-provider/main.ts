// The provider on its own: node --import tsx examples/faulty-provider/main.ts [port]
// It fails as examples/troubles.ts says, then answers everything.

import { TROUBLES } from '../troubles.js';
import { startFaultyProvider } from './server.js';

const provider = await startFaultyProvider(TROUBLES, Number(process.argv[2] ?? 4320));
console.log(`OpenAI's interface    baseURL ${provider.openaiUrl}`);
console.log(`Anthropic's interface baseURL ${provider.anthropicUrl}`);
