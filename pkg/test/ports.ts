// Ports of 127.0.0.1 for servers of our own.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export { freePort } from '../../scripts/free-port.mjs';

export async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isUp) return;
    await sleep(20);
  }
  throw new Error(`nobody listens at ${port}`);
}
