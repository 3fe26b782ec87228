// A stub of MongoDB's wire protocol (OP_MSG): it answers the handshake and then what a case wants.
import { sleep, tcp } from './net.mjs';

/**
 * @param answer makes the reply to a command: `answer(command, name, socket)` returns a document, or undefined for silence
 */
export async function mongo(answer) {
  const { BSON } = await import('mongodb');
  const { Long } = BSON;
  const hello = () => ({
    ok: 1,
    isWritablePrimary: true,
    ismaster: true,
    helloOk: true,
    setName: 'rs0',
    hosts: [`127.0.0.1:${server.port}`],
    me: `127.0.0.1:${server.port}`,
    topologyVersion: undefined,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(0),
    logicalSessionTimeoutMinutes: 30,
    connectionId: 1,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
  });
  const server = await tcp((socket) => {
    let buffer = Buffer.alloc(0);
    socket.on('data', async (bytes) => {
      buffer = Buffer.concat([buffer, bytes]);
      while (buffer.length >= 16 && buffer.length >= buffer.readInt32LE(0)) {
        const size = buffer.readInt32LE(0);
        const message = buffer.subarray(0, size);
        buffer = buffer.subarray(size);
        const id = message.readInt32LE(4);
        const kind = message.readInt32LE(12);
        let command;
        if (kind === 2013) command = BSON.deserialize(message.subarray(21, 21 + message.readInt32LE(21)));
        else command = BSON.deserialize(message.subarray(message.indexOf(0, 20) + 9)); // OP_QUERY of the handshake
        const [name] = Object.keys(command);
        let reply;
        if (/^(hello|ismaster)$/i.test(name)) reply = hello();
        else if (name === 'ping' || name === 'endSessions') reply = { ok: 1 };
        else reply = await answer(command, name, socket, Long);
        if (reply === undefined || socket.destroyed) continue;
        const body = BSON.serialize(reply, { ignoreUndefined: true });
        if (kind === 2013) {
          const head = Buffer.alloc(21);
          head.writeInt32LE(21 + body.length, 0);
          head.writeInt32LE(id, 8);
          head.writeInt32LE(2013, 12);
          socket.write(Buffer.concat([head, body]));
        } else {
          const head = Buffer.alloc(36);
          head.writeInt32LE(36 + body.length, 0);
          head.writeInt32LE(id, 8);
          head.writeInt32LE(1, 12);
          head.writeInt32LE(8, 16);
          head.writeInt32LE(1, 32);
          socket.write(Buffer.concat([head, body]));
        }
      }
    });
  });
  await sleep(0);
  return { ...server, url: `mongodb://127.0.0.1:${server.port}/shop` };
}

/** The reply to a command that failed. */
export const failure = (code, codeName, errmsg, errorLabels) => ({
  ok: 0,
  code,
  codeName,
  errmsg,
  ...(errorLabels && { errorLabels }),
});
