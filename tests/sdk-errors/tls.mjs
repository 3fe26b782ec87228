// A throw-away self-signed certificate, made in memory at start-up (no key material in the tree).
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const length = (n) => Buffer.from(n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 255]);
const tlv = (tag, ...parts) => {
  const b = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(b.length), b]);
};
const sequence = (...parts) => tlv(0x30, ...parts);
const oid = (hex) => tlv(0x06, Buffer.from(hex, 'hex'));
const utcTime = (ms) =>
  tlv(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

/** `expired`: valid until an hour ago. */
export function selfSigned(commonName = 'localhost', { expired = false } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const name = sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(commonName)))));
  const serial = randomBytes(8);
  serial[0] = (serial[0] & 0x7f) | 1;
  const tbs = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, serial),
    algorithm,
    name,
    sequence(
      utcTime(Date.now() - (expired ? 86_400_000 : 3_600_000)),
      utcTime(Date.now() + (expired ? -3_600_000 : 86_400_000)),
    ),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const der = sequence(tbs, algorithm, tlv(0x03, Buffer.from([0]), sign('sha256', tbs, privateKey)));
  const cert = `-----BEGIN CERTIFICATE-----\n${der
    .toString('base64')
    .match(/.{1,64}/g)
    .join('\n')}\n-----END CERTIFICATE-----\n`;
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
}
