// A stub of a Kafka broker: it answers ApiVersions and Metadata, and fails Produce and FindCoordinator as a case wants.
import { tcp } from './net.mjs';

const string = (text) => Buffer.concat([int16(text.length), Buffer.from(text)]);
const int16 = (n) => {
  const b = Buffer.alloc(2);
  b.writeInt16BE(n);
  return b;
};
const int32 = (n) => {
  const b = Buffer.alloc(4);
  b.writeInt32BE(n);
  return b;
};
const int64 = (n) => {
  const b = Buffer.alloc(8);
  b.writeBigInt64BE(BigInt(n));
  return b;
};
const array = (items) => Buffer.concat([int32(items.length), ...items]);
const [PRODUCE, METADATA, COORDINATOR, HANDSHAKE, VERSIONS, CREATE_TOPICS] = [0, 3, 10, 17, 18, 19];

/** `fail` has an error code for each API: `{ produce, metadata, topic, coordinator, sasl, auth, createTopics, versions }`. */
export async function kafka(fail = {}) {
  const broker = await tcp((socket) => {
    let buffer = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      buffer = Buffer.concat([buffer, bytes]);
      while (buffer.length >= 4 && buffer.length >= 4 + buffer.readInt32BE(0)) {
        const request = buffer.subarray(4, 4 + buffer.readInt32BE(0));
        buffer = buffer.subarray(4 + request.length);
        const api = request.readInt16BE(0);
        const id = request.readInt32BE(4);
        if (fail.hangUp === api) return void socket.destroy();
        if (fail.silent === api) continue;
        const body = reply(api, broker.port, fail);
        const whole = Buffer.concat([int32(id), body]);
        socket.write(Buffer.concat([int32(whole.length), whole]));
      }
    });
  });
  return broker;
}

function reply(api, port, fail) {
  switch (api) {
    case VERSIONS: // v0
      return Buffer.concat([
        int16(fail.versions ?? 0),
        array(
          [
            [PRODUCE, 3],
            [METADATA, 1],
            [COORDINATOR, 0],
            [HANDSHAKE, 0],
            [CREATE_TOPICS, 0],
          ].map(([key, max]) => Buffer.concat([int16(key), int16(key === PRODUCE ? 3 : 0), int16(max)])),
        ),
      ]);
    case METADATA: // v1
      return Buffer.concat([
        array([Buffer.concat([int32(1), string('127.0.0.1'), int32(port), int16(-1)])]),
        int32(1),
        array([
          Buffer.concat([
            int16(fail.topic ?? 0),
            string('jobs'),
            Buffer.from([0]),
            array([
              Buffer.concat([
                int16(fail.metadata ?? 0),
                int32(0),
                int32(1),
                array([int32(1)]),
                array([int32(1)]),
              ]),
            ]),
          ]),
        ]),
      ]);
    case PRODUCE: // v3
      return Buffer.concat([
        array([
          Buffer.concat([
            string('jobs'),
            array([Buffer.concat([int32(0), int16(fail.produce ?? 0), int64(0), int64(-1)])]),
          ]),
        ]),
        int32(0),
      ]);
    case COORDINATOR: // v0
      return Buffer.concat([int16(fail.coordinator ?? 0), int32(1), string('127.0.0.1'), int32(port)]);
    case HANDSHAKE: // v0
      return Buffer.concat([int16(fail.sasl ?? 0), array([string('PLAIN')])]);
    case CREATE_TOPICS: // v0
      return array([Buffer.concat([string('jobs'), int16(fail.createTopics ?? 0)])]);
    default:
      return Buffer.alloc(0);
  }
}
