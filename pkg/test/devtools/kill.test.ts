// SIGKILL of the server at a hundred random moments under load: nothing acknowledged is lost, nothing is stored twice.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ServerProcess, serveInProcess } from './serve.js';
import { line, ownHome, type Reachable, stored, temporaryDirectory } from './server.js';

/** How often a server is killed over one log. Each start reads the whole log, so ten short ones take less time than one. */
const KILLS = 10;
const LOGS = Math.ceil(Number(process.env.HALFOPEN_TEST_KILLS ?? 100) / KILLS);
const BATCH = 20;

/** Posts batches, in order, and each again until it is acknowledged, as an agent does. */
class Sender {
  readonly acknowledged: number[] = [];
  readonly #source: string;
  readonly #server: () => Reachable;
  readonly #agent = new Agent({ keepAlive: true });
  #stopped = false;
  readonly done: Promise<void>;

  constructor(source: string, server: () => Reachable) {
    this.#source = source;
    this.#server = server;
    this.done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.done;
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    for (let next = 0; !this.#stopped; next += BATCH) {
      const seqs = Array.from({ length: BATCH }, (_, index) => next + index);
      // Lines of differing lengths, so that a write is cut at differing places.
      const body = seqs
        .map((seq) => line(seq, { source: this.#source, task: 'x'.repeat((seq * 37) % 1_500) }))
        .join('\n');
      while ((await this.#post(body)) !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
      this.acknowledged.push(...seqs);
    }
  }

  #post(body: string): Promise<number> {
    const { url, token } = this.#server();
    return new Promise((resolve) => {
      const sending = request(
        `${url}/events`,
        { method: 'POST', agent: this.#agent, headers: { authorization: `Bearer ${token}` } },
        (response) => {
          response.on('error', () => resolve(0));
          response.on('end', () => resolve(response.statusCode ?? 0)).resume();
        },
      );
      sending.on('error', () => resolve(0));
      sending.end(body);
    });
  }
}

async function killed(t: TestContext): Promise<void> {
  ownHome(t);
  const directory = temporaryDirectory(t);
  let server: ServerProcess = await serveInProcess({ port: 0, directory });
  t.after(() => server.child.kill('SIGKILL'));
  const senders = ['a', 'b', 'c'].map((source) => new Sender(source, () => server));
  const acknowledged = () => senders.reduce((sum, sender) => sum + sender.acknowledged.length, 0);
  for (let kill = 0; kill < KILLS; kill += 1) {
    // Every other time it has taken a batch of each sender since it was started, however slow this machine is.
    const before = senders.map((sender) => sender.acknowledged.length);
    while (kill % 2 === 1 && senders.some((sender, index) => sender.acknowledged.length === before[index])) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    const gone = new Promise((resolve) => server.child.once('exit', resolve));
    server.child.kill('SIGKILL');
    await gone;
    server = await serveInProcess({ port: 0, directory, limits: { segmentBytes: 300_000 } });
  }
  await Promise.all(senders.map((sender) => sender.stop()));
  t.diagnostic(`${acknowledged()} events acknowledged`);
  assert.ok(acknowledged() > KILLS * BATCH, `${acknowledged()} acknowledged: that was no load`);

  const kept = new Map<string, number[]>();
  for (const { source, seq } of await stored(server)) {
    const seqs = kept.get(String(source)) ?? [];
    seqs.push(Number(seq));
    kept.set(String(source), seqs);
  }
  for (const [index, source] of ['a', 'b', 'c'].entries()) {
    const seqs = kept.get(source) ?? [];
    const acknowledged = senders[index]?.acknowledged ?? [];
    assert.ok(
      acknowledged.length > KILLS,
      `${acknowledged.length} acknowledged of ${source}: that was no load`,
    );
    assert.equal(new Set(seqs).size, seqs.length, `${source}: one is stored twice`);
    const missing = acknowledged.filter((seq) => !new Set(seqs).has(seq));
    assert.deepEqual(missing, [], `${source}: acknowledged and lost`);
  }
  // After any kills, the files contain whole lines.
  for (const name of readdirSync(directory).filter((file) => file.endsWith('.jsonl'))) {
    for (const text of readFileSync(join(directory, name), 'utf8').trimEnd().split('\n')) JSON.parse(text);
  }
}

for (let log = 1; log <= LOGS; log += 1) {
  test(`SIGKILL at ${KILLS} random moments under load, log ${log}`, killed);
}
