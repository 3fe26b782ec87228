// A stub of a WebSocket server: the handshake and the close frame of RFC 6455.
import { createHash } from 'node:crypto';
import { tcp } from './net.mjs';

/** A server that shakes hands and then does `then` with the bare socket; returns its address. */
export async function afterHandshake(then) {
  const { port } = await tcp((socket) => {
    let text = '';
    socket.on('data', (bytes) => {
      if (text.includes('\r\n\r\n')) return;
      text += bytes;
      if (!text.includes('\r\n\r\n')) return;
      const [, key] = /sec-websocket-key: (.*)\r\n/i.exec(text);
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      setTimeout(() => then(socket), 20);
    });
  });
  return `ws://127.0.0.1:${port}`;
}

/** Sends a close frame. */
export const close =
  (code, reason = '') =>
  (socket) => {
    const text = Buffer.from(reason);
    const head = Buffer.from([0x88, text.length + 2, 0, 0]);
    head.writeUInt16BE(code, 2);
    socket.write(Buffer.concat([head, text]));
  };
