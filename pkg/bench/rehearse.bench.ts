// The requests a second that the provider of a rehearsal answers on one core: its process's CPU time, so that the client and
// other work of the machine do not count. Each request is the third of a conversation with four tools; the parallel clients
// keep their connections. Bound: 2,000 whole answers a second.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { rounds } from './rows.js';

const BOUND = 2000;
const ROUNDS = rounds(5);
const REQUESTS = 2000;
const CLIENTS = 16;

if (process.argv[2] === 'serve') await serve();
else await measure();

async function serve() {
  const { startRehearsal } = await import('halfopen/rehearse');
  const { env } = await startRehearsal({ scenario: 'refund' });
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.(env);
}

/** The seconds of CPU time that the server has used. */
async function usage(server: ChildProcess) {
  server.send('usage');
  const [{ user, system }] = (await once(server, 'message')) as [NodeJS.CpuUsage];
  return (user + system) / 1e6;
}

async function measure() {
  const server = fork(fileURLToPath(import.meta.url), ['serve']);
  const [env] = (await once(server, 'message')) as [Record<string, string>];
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const send = (body: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: 'Bearer sk-x', 'content-type': 'application/json' };
      request(`${env.OPENAI_BASE_URL}/chat/completions`, { agent, method: 'POST', headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume().on('end', resolve);
      })
        .on('error', reject)
        .end(body);
    });
  let isMissed = false;
  for (const stream of [false, true]) {
    const body = Buffer.from(JSON.stringify(conversation(stream)));
    let best = 0;
    for (let round = 0; round <= ROUNDS; round += 1) {
      const before = await usage(server);
      let left = REQUESTS;
      await Promise.all(
        Array.from({ length: CLIENTS }, async () => {
          while (left-- > 0) await send(body);
        }),
      );
      const rate = REQUESTS / ((await usage(server)) - before);
      // The first round warms up.
      if (round > 0) best = Math.max(best, rate);
    }
    const isBelow = !stream && best < BOUND;
    isMissed ||= isBelow;
    const what = stream ? 'streamed answers' : 'whole answers';
    const verdict = stream ? '' : isBelow ? `  MISSED: at least ${BOUND}` : `  at least ${BOUND}`;
    console.log(`${what.padEnd(18)} ${best.toFixed(0).padStart(6)} a second of CPU time${verdict}`);
  }
  agent.destroy();
  server.kill();
  if (isMissed) process.exitCode = 1;
}

function conversation(stream: boolean) {
  const call = (id: string, name: string, args: object) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
  });
  const text = { type: 'string' };
  const tool = (name: string, properties: object) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties, required: Object.keys(properties) } },
  });
  return {
    model: 'gpt-4o',
    stream,
    messages: [
      { role: 'system', content: 'You help the customers of a shop. '.repeat(20) },
      {
        role: 'user',
        content: 'Order 1001 arrived damaged. Look it up, refund it, and write the customer a mail.',
      },
      call('call_1', 'find_order', { order_id: '1001' }),
      {
        role: 'tool',
        tool_call_id: 'call_1',
        content: '{"order_id":"1001","state":"delivered damaged","price":42}',
      },
      call('call_2', 'refund', { order_id: '1001', amount: 42 }),
      { role: 'tool', tool_call_id: 'call_2', content: '{"ok":true,"receipt":"R-7731"}' },
    ],
    tools: [
      tool('find_order', { order_id: text }),
      tool('refund', { order_id: text, amount: { type: 'number' } }),
      tool('send_mail', { to: text, text }),
      tool('search', { query: text }),
    ],
  };
}
