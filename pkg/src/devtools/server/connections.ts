/**
 * How many connections may be open, and who gives way when there are too many.
 *
 * A connection whose requests had the token stays open. All others are strangers. If there are more of them than {@link
 * STRANGERS}, the oldest is closed, so that a stranger cannot shut the others out with half requests.
 */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections that have not shown the token, at once. */
const STRANGERS = 256;

/** The open connections of a server. */
export class Connections {
  /** Oldest first. */
  private readonly strangers = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.strangers.add(socket);
      socket.once('close', () => this.strangers.delete(socket));
      if (this.strangers.size <= STRANGERS) return;
      for (const oldest of this.strangers) {
        oldest.destroy();
        this.strangers.delete(oldest);
        break;
      }
    });
  }

  /** A request of this connection brought the token. */
  welcome(socket: Socket): void {
    this.strangers.delete(socket);
  }
}
