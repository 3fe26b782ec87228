// The day that the agent has: what each provider does to its requests, in order. After that all is well.

import { type Fault, type Script, times } from './faulty-provider/faults.js';

const fine = (text: string): Fault => ({ kind: 'ok', text });

export const TROUBLES: Script = {
  openai: [
    // 1. plan
    { kind: 'rate-limited', retryAfterSeconds: 1 },
    fine('Source, course, mouth.'),
    // 2. search
    { kind: 'rate-limited', retryAfterMs: 350 },
    fine('Nile, Amazon, Yangtze and seven more.'),
    // 5. figures
    { kind: 'unauthorized' },
    // 6. book
    { kind: 'context-length' },
    fine('A chapter fits.'),
    // 7. five chapters of three attempts each
    ...times(15, { kind: 'server-error' }),
    // 9. the probe
    fine('Chapter 8, by OpenAI again.'),
    // 10. report
    { kind: 'broken-stream', afterChunks: 5 },
    {
      kind: 'ok',
      text: 'Ten rivers, from source to mouth, in nine chapters and one report.',
      chunkEveryMs: 40,
    },
  ],
  anthropic: [
    // 3. read
    { kind: 'overloaded' },
    { kind: 'overloaded' },
    fine('Read.'),
    // 4. notes
    { kind: 'reset' },
    { kind: 'stall', forMs: 30_000 },
    fine('Noted.'),
  ],
};
