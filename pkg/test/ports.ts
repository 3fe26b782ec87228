// Ports of 127.0.0.1 for servers of our own.
import { connect } from 'node:net';
import { until } from '../../scripts/patience.mjs';

export { freePort } from '../../scripts/free-port.mjs';

export async function listening(port: number): Promise<void> {
  await until(async () => {
    const socket = connect(port, '127.0.0.1');
    const isUp = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    return isUp;
  }, `a server at port ${port}`);
}
