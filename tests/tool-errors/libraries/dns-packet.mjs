// dns-packet: reads and writes messages of DNS; plain errors that say what is wrong with the bytes or the record.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['dns-packet'] });
const packet = async () => (await import('dns-packet')).default;
const damaged = final('INVALID_RESPONSE', 'VALIDATION_ERROR');
const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR', 'INVALID_RESPONSE');
const decode = (bytes) => async () => (await packet()).decode(Buffer.from(bytes));
const header = [0, 1, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0];
lib.add('short', damaged, 'Header must be 12 bytes', decode([1, 2, 3]));
lib.add(
  'cut',
  unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'the message ends within a name',
  decode([...header, 7, 101, 120]),
);
lib.add('bad-label', damaged, 'a label of a kind that is not', decode([...header, 0x80, 0, 0, 1, 0, 1]));
lib.add('bad-pointer', damaged, 'a pointer that leads forward', decode([...header, 0xc0, 0x40, 0, 1, 0, 1]));
lib.add('long-name', damaged, 'a name longer than 253 bytes', () =>
  decode([
    ...header,
    ...Array.from({ length: 5 }, () => [63, ...Buffer.alloc(63, 97)]).flat(),
    0,
    0,
    1,
    0,
    1,
  ])(),
);
const encode = (record) => async () =>
  (await packet()).encode({ type: 'response', answers: [{ name: 'example.com', ...record }] });
lib.add('text', wrong, 'a TXT record of a number', encode({ type: 'TXT', data: 7 }));
lib.add('key', wrong, 'Key must be a Buffer', encode({ type: 'DNSKEY', data: { flags: 1, algorithm: 1 } }));
lib.add(
  'digest',
  wrong,
  'Digest must be a Buffer',
  encode({ type: 'DS', data: { keyTag: 1, algorithm: 1, digestType: 1, digest: 'x' } }),
);
lib.add(
  'salt',
  unclear('UNKNOWN', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'a TypeError that says nothing of the salt',
  encode({ type: 'NSEC3', data: { algorithm: 1, flags: 0, iterations: 1, salt: 'x', rrtypes: [] } }),
);
lib.add(
  'fingerprint',
  wrong,
  'Invalid fingerprint length',
  encode({ type: 'SSHFP', data: { algorithm: 1, hash: 1, fingerprint: '00' } }),
);
lib.add('option', wrong, 'Unknown option code', async () =>
  (await packet()).encode({
    type: 'query',
    additionals: [
      { type: 'OPT', name: '.', udpPayloadSize: 4096, flags: 0, options: [{ code: 'FROB', data: 'x' }] },
    ],
  }),
);
lib.add('root', wrong, 'OPT name must be root.', async () =>
  (await packet()).encode({
    type: 'query',
    additionals: [{ type: 'OPT', name: 'example.com', udpPayloadSize: 4096, flags: 0, options: [] }],
  }),
);
export default lib;
