// A way to a server that can be cut, as a network is: nothing arrives, and no end learns why.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Where new connections lead. Those that are open are ended: their server is another one now. */
  leadTo(port: number): void;
  /** Lets nothing through: what is sent meanwhile waits in the sockets, as in a network that drops and sends again. */
  cut(): void;
  heal(): void;
  close(): void;
}

export async function startProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let port = target;
  let isCut = false;
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (data) => {
      if (!to.write(data)) from.pause();
    });
    to.on('drain', () => {
      if (!isCut) from.resume();
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isCut) from.pause();
  };
  const server = createServer((inner) => {
    const outer = connect(port, '127.0.0.1');
    forward(inner, outer);
    forward(outer, inner);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    leadTo(next) {
      port = next;
      for (const socket of sockets) socket.destroy();
    },
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    heal() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
