import { replay } from 'halfopen/lab';
import { recorded } from './recorded.js';
// A log of a million events, by repeating a recorded one under other processes.
const part = (await recorded({ retry: { maxRetries: 1 }, breaker: false }, { seconds: 140, perSecond: 10 }));
const copies = Math.ceil(1e6 / part.length);
function* log() { for (let i = 0; i < copies; i++) for (const e of part) yield JSON.stringify({ ...e, source: `s${i}`, time: e.time + i * 1000 }); }
const t = performance.now();
let read = 0;
const r = await replay(log(), { policies: { chat: { retry: { maxRetries: 3 }, breaker: false } }, seeds: 100, onProgress: (s) => { if (!read) read = performance.now() - t; } });
console.log(copies * part.length, 'events', copies, 'sources; read', Math.round(read), 'ms, all', Math.round(performance.now() - t), 'ms', process.cpuUsage().user / 1e6, 'identity', r.identity, r.after.offered, r.after.events);
