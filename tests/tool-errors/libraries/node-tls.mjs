// node:tls: codes of OpenSSL and of the verification of certificates.
import https from 'node:https';
import tls from 'node:tls';
import { again, final, library, unclear } from '../expect.mjs';
import { emitted, selfSigned, serve, tcp } from '../servers/net.mjs';

const lib = library({});
const get = (url, options = {}) =>
  new Promise((resolve, reject) => https.get(url, options, resolve).on('error', reject));
const certificate = ['NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'];
lib.add('self-signed', final(...certificate), 'DEPTH_ZERO_SELF_SIGNED_CERT', async () =>
  get((await serve({}, { tls: true })).url),
);
lib.add('wrong-host', final(...certificate), 'ERR_TLS_CERT_ALTNAME_INVALID', async () => {
  const made = selfSigned('other.example.com');
  return get((await serve({}, { tls: made })).url, { ca: made.cert });
});
lib.add('expired', final(...certificate), 'CERT_HAS_EXPIRED', async () => {
  const made = selfSigned('localhost', { expired: true });
  return get((await serve({}, { tls: made })).url, { ca: made.cert });
});
lib.add(
  'plain-http',
  final('NETWORK_ERROR', 'CONFIG_ERROR'),
  'wrong version number: the port does not speak TLS',
  async () => get((await serve({})).url.replace('http', 'https')),
);
lib.add(
  'no-shared-version',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'alert protocol version',
  async () => {
    const { port } = await serve({}, { tls: { ...selfSigned(), minVersion: 'TLSv1.3' } });
    return emitted(
      tls.connect({ port, host: '127.0.0.1', maxVersion: 'TLSv1.2', rejectUnauthorized: false }),
    );
  },
);
lib.add(
  'no-shared-cipher',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'handshake failure',
  async () => {
    const { port } = await serve(
      {},
      { tls: { ...selfSigned(), maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' } },
    );
    return emitted(
      tls.connect({
        port,
        host: '127.0.0.1',
        ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256',
        maxVersion: 'TLSv1.2',
        rejectUnauthorized: false,
      }),
    );
  },
);
lib.add(
  'client-certificate',
  final('AUTHENTICATION_ERROR', 'NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'alert certificate required',
  async () => {
    const { port } = await serve(
      {},
      { tls: { ...selfSigned(), requestCert: true, rejectUnauthorized: true } },
    );
    return emitted(
      tls
        .connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
        .on('secureConnect', function send() {
          this.write('GET / HTTP/1.1\r\n\r\n');
        }),
    );
  },
);
lib.add(
  'hung-up',
  again('NETWORK_ERROR'),
  'Client network socket disconnected before secure TLS connection was established',
  async () =>
    get(`https://127.0.0.1:${(await tcp((socket) => socket.once('data', () => socket.end()))).port}`),
);
lib.add(
  'bad-ca',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'NETWORK_ERROR'),
  "PEM routines: the program's own file is no certificate",
  async () => tls.createSecureContext({ cert: 'nonsense' }),
);
lib.add(
  'key-mismatch',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'NETWORK_ERROR'),
  'ERR_OSSL_X509_KEY_VALUES_MISMATCH',
  async () => tls.createSecureContext({ cert: selfSigned().cert, key: selfSigned().key }),
);
lib.add(
  'garbage',
  unclear('NETWORK_ERROR', 'CONFIG_ERROR', 'INVALID_RESPONSE'),
  'the server sends what is no TLS',
  async () =>
    get(
      `https://127.0.0.1:${(await tcp((socket) => socket.once('data', () => socket.write(Buffer.from([0x15, 3, 3, 0, 2, 2, 80]))))).port}`,
    ),
);
lib.add('wrapped', final(...certificate), 'three causes deep', async () => {
  try {
    await fetch((await serve({}, { tls: true })).url);
  } catch (cause) {
    throw new Error('Could not load the report', { cause: new Error('Request failed', { cause }) });
  }
});
export default lib;
