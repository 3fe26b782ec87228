// Plays the recorded streams of tests/fixtures/streams: a request to /<folder>/<case>/… answers with that body, cut and
// ended as told. /<folder>/<one>+<other>/<id>/… plays them in turn, and the last one from then on.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const root = new URL('../fixtures/streams/', import.meta.url);

/** The cases of a folder. */
export function recorded(folder: string): string[] {
  return readdirSync(new URL(folder, root)).map((file) => file.replace(/\.\w+$/, ''));
}

/** How many bytes a case has. */
export function sizeOf(folder: string, name: string): number {
  return body(folder, name)?.bytes.length ?? 0;
}

/** Sizes of the pieces that a body is cut into, in turn; `undefined`: whole. */
export type Cut = readonly number[] | undefined;

export interface Player {
  origin: string;
  /** How bodies are cut from now on. */
  cut: Cut;
  /** After how many bytes bodies end from now on, as if that were all. */
  end: number;
  /** Sends half of each body from now on, and leaves the connection open. */
  hold: boolean;
  close(): Promise<void>;
}

interface Body {
  type: string;
  bytes: Buffer;
}

/** The bodies read so far: each is played thousands of times. */
const bodies = new Map<string, Body | undefined>();

function body(folder: string, name: string): Body | undefined {
  const key = `${folder}/${name}`;
  if (!bodies.has(key)) bodies.set(key, readBody(key));
  return bodies.get(key);
}

function readBody(key: string): Body | undefined {
  for (const [ending, type] of [
    ['sse', 'text/event-stream; charset=utf-8'],
    ['ndjson', 'application/x-ndjson'],
  ]) {
    const path = new URL(`${key}.${ending}`, root);
    if (existsSync(path)) return { type: type as string, bytes: readFileSync(path) };
  }
  return undefined;
}

/** Yields the parts of a body that arrive: `undefined` if the connection stays open behind them. */
function* pieces({ bytes }: Body, { cut, end, hold }: Player): Generator<Buffer | undefined> {
  if (hold) {
    yield bytes.subarray(0, bytes.length / 2);
    yield undefined;
  } else if (end !== Infinity) {
    if (end > 0) yield bytes.subarray(0, end);
  } else if (cut === undefined) {
    yield bytes;
  } else {
    for (let from = 0, turn = 0; from < bytes.length; turn++) {
      const size = cut[turn % cut.length] ?? 1;
      yield bytes.subarray(from, from + size);
      from += size;
    }
  }
}

const HEADERS = { 'x-request-id': 'req_1' };

/** A local server that plays the streams. Each piece is a chunk of its own, so that a client sees it by itself. */
export async function play(): Promise<Player> {
  const player: Player = { origin: '', cut: undefined, end: Infinity, hold: false, close: async () => {} };
  const played = new Map<string, number>();
  const server = createServer((request, response) => {
    const [, folder = '', names = '', id = ''] = (request.url ?? '').split('/');
    const turns = names.split('+');
    const turn = turns.length === 1 ? 0 : (played.get(id) ?? 0);
    played.set(id, turn + 1);
    const found = body(folder, turns[Math.min(turn, turns.length - 1)] ?? '');
    request.resume();
    if (found === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': found.type, ...HEADERS });
    for (const piece of pieces(found, player)) {
      if (piece === undefined) return;
      response.write(piece);
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  player.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  player.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return player;
}

/**
 * Plays the streams from memory, to every `fetch` of this process: what sockets cost is left out, and a piece is one chunk
 * for certain. For tests that read thousands of streams; `play` has real connections.
 */
export function playFromMemory(): Player {
  const fetched = globalThis.fetch;
  const player: Player = {
    origin: 'http://memory.test',
    cut: undefined,
    end: Infinity,
    hold: false,
    close: async () => {
      globalThis.fetch = fetched;
    },
  };
  globalThis.fetch = async (input) => {
    const [, folder = '', name = ''] = new URL(input instanceof Request ? input.url : input).pathname.split(
      '/',
    );
    const found = body(folder, name);
    if (found === undefined) return new Response(null, { status: 404 });
    const rest = pieces(found, player);
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const { value, done } = rest.next();
        if (done) controller.close();
        else if (value !== undefined) controller.enqueue(new Uint8Array(value));
      },
    });
    return new Response(stream, { headers: { 'content-type': found.type, ...HEADERS } });
  };
  return player;
}
