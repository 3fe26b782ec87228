// ethers on a stub: errors with a `code` of its own in capitals, `shortMessage`, `info`, `operation`; TypeErrors for arguments.
import { again, final, library, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addConnectionFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['ethers'] });
const open = async (url, timeout) => {
  const { FetchRequest, JsonRpcProvider } = await import('ethers');
  const request = new FetchRequest(url);
  if (timeout) request.timeout = timeout;
  request.setThrottleParams?.({ maxAttempts: 1 });
  return new JsonRpcProvider(request, 1, { staticNetwork: true, batchMaxCount: 1 });
};
const call = async ({ url, timeout, use = (provider) => provider.getBlockNumber() }) => {
  const provider = await open(url, timeout);
  try {
    return await use(provider);
  } finally {
    provider.destroy();
  }
};
/** The node answers every request with this error. */
const rpc = (code, message, data, use) => async () =>
  call({
    url: (
      await serve((_request, body) => ({
        body: { jsonrpc: '2.0', id: JSON.parse(body).id, error: { code, message, ...(data && { data }) } },
      }))
    ).url,
    use,
  });
const KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const send = async (provider) => {
  const { Wallet } = await import('ethers');
  const raw = await new Wallet(KEY).signTransaction({
    to: TO,
    value: 1n,
    nonce: 0,
    gasLimit: 21000n,
    gasPrice: 1n,
    chainId: 1,
  });
  return provider.send('eth_sendRawTransaction', [raw]);
};
const estimate = (provider) => provider.estimateGas({ to: TO, data: '0x12345678' });
const callOn = (provider) => provider.call({ to: TO, data: '0x12345678' });
// docs.ethers.org/v6/api/utils/errors
lib.add(
  'no-funds',
  final('QUOTA_EXCEEDED', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'INSUFFICIENT_FUNDS',
  rpc(-32000, 'insufficient funds for gas * price + value', undefined, send),
);
lib.add(
  'nonce',
  final('CONFLICT', 'VALIDATION_ERROR', 'ALREADY_EXISTS'),
  'NONCE_EXPIRED',
  rpc(-32000, 'nonce too low', undefined, send),
);
lib.add(
  'underpriced',
  final('CONFLICT', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'REPLACEMENT_UNDERPRICED',
  rpc(-32000, 'replacement transaction underpriced', undefined, send),
);
lib.add(
  'known',
  final('ALREADY_EXISTS', 'CONFLICT', 'TOOL_EXECUTION_ERROR', 'UNKNOWN'),
  'the same transaction is there',
  rpc(-32000, 'already known', undefined, send),
);
lib.add(
  'reverted',
  final('TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'),
  'CALL_EXCEPTION: the contract refuses',
  rpc(
    3,
    'execution reverted: not the owner',
    '0x08c379a00000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000000d6e6f7420746865206f776e657200000000000000000000000000000000000000',
    callOn,
  ),
);
lib.add(
  'reverted-estimate',
  final('TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'),
  'CALL_EXCEPTION of an estimate',
  rpc(3, 'execution reverted', '0x', estimate),
);
lib.add(
  'no-method',
  final('TOOL_EXECUTION_ERROR', 'PROVIDER_NOT_SUPPORTED', 'NOT_FOUND', 'VALIDATION_ERROR'),
  '-32601, beside UNSUPPORTED_OPERATION',
  rpc(-32601, 'the method eth_frob does not exist/is not available', undefined, (provider) =>
    provider.send('eth_frob', []),
  ),
);
lib.add(
  'bad-params',
  final('VALIDATION_ERROR'),
  '-32602',
  rpc(-32602, 'invalid argument 0: hex string without 0x prefix', undefined, (provider) =>
    provider.send('eth_getBalance', ['1']),
  ),
);
lib.add(
  'node-limit',
  again('RATE_LIMITED'),
  '-32005: limit exceeded',
  rpc(-32005, 'daily request count exceeded, request rate limited', undefined, undefined),
);
lib.add(
  'node-internal',
  again('SERVER_ERROR', 'TOOL_EXECUTION_ERROR'),
  '-32603',
  rpc(-32603, 'Internal error'),
);
lib.add(
  'header',
  again('NOT_FOUND', 'SERVER_ERROR', 'TOOL_EXECUTION_ERROR'),
  'a node that is behind',
  rpc(-32000, 'header not found', undefined, undefined),
);
lib.add(
  'rejected',
  final('CANCELLED', 'PERMISSION_DENIED'),
  'ACTION_REJECTED: the user said no',
  async () => {
    const { BrowserProvider } = await import('ethers');
    const provider = new BrowserProvider(
      {
        request: async ({ method }) => {
          if (method === 'eth_chainId') return '0x1';
          throw Object.assign(new Error('User denied transaction signature.'), { code: 4001 });
        },
      },
      1,
    );
    try {
      return await provider.send('eth_sendTransaction', [{}]);
    } finally {
      provider.destroy();
    }
  },
);
const http =
  (status, body = {}, headers) =>
  async () =>
    call({ url: (await serve({ status, body, headers })).url });
lib.add(
  'bad-key',
  final('AUTHENTICATION_ERROR', { status: 401 }),
  'SERVER_ERROR around a 401',
  http(401, { message: 'invalid project id' }),
);
lib.add(
  'forbidden',
  final('PERMISSION_DENIED', { status: 403 }),
  'SERVER_ERROR around a 403',
  http(403, { message: 'origin not allowed' }),
);
lib.add('broken', again('SERVER_ERROR', { status: 500 }), 'SERVER_ERROR around a 500', http(500, {}));
lib.add(
  'unavailable',
  again('SERVER_ERROR', 'PROVIDER_OVERLOADED', { status: 503 }),
  'SERVER_ERROR around a 503',
  http(503, 'Service Unavailable'),
);
lib.add('throttled', again('RATE_LIMITED'), 'a 429 until its patience ends', async () =>
  call({ url: (await serve({ status: 429, body: {}, headers: { 'retry-after': '0' } })).url, timeout: 700 }),
);
lib.add(
  'page',
  unclear('INVALID_RESPONSE', 'CONFIG_ERROR', 'SERVER_ERROR'),
  'a page where JSON was due',
  http(200, '<html>sign in</html>', { 'content-type': 'text/html' }),
);
addConnectionFaults(lib.add, call);
lib.add('timeout', again('TIMEOUT'), 'the client waited as long as it was to', async () =>
  call({ url: (await serve({ silent: true })).url, timeout: 300 }),
);
const local = (work) => async () => work(await import('ethers'));
const wrong = final('VALIDATION_ERROR');
lib.add(
  'bad-address',
  wrong,
  'INVALID_ARGUMENT: an address',
  local(({ getAddress }) => getAddress('0x12')),
);
lib.add(
  'bad-checksum',
  wrong,
  'INVALID_ARGUMENT: bad address checksum',
  local(({ getAddress }) => getAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79c8')),
);
lib.add(
  'bad-number',
  wrong,
  'INVALID_ARGUMENT: a value of ether',
  local(({ parseEther }) => parseEther('one')),
);
lib.add(
  'overflow',
  wrong,
  'NUMERIC_FAULT',
  local(({ toBeHex }) => toBeHex(300, 1)),
);
lib.add(
  'bad-key-text',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR'),
  'a private key that is none',
  local(({ Wallet }) => new Wallet('0x12')),
);
lib.add(
  'bad-data',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'BAD_DATA: no value to decode',
  local(({ AbiCoder }) => AbiCoder.defaultAbiCoder().decode(['uint256'], '0x')),
);
lib.add(
  'overrun',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'BUFFER_OVERRUN',
  local(({ AbiCoder }) => AbiCoder.defaultAbiCoder().decode(['string'], '0x12')),
);
lib.add(
  'missing-argument',
  wrong,
  'MISSING_ARGUMENT',
  local(({ Interface }) => new Interface(['function send(address to)']).encodeFunctionData('send', [])),
);
lib.add(
  'no-fragment',
  final('NOT_FOUND', 'VALIDATION_ERROR'),
  'no matching function',
  local(({ Interface }) => new Interface(['function send(address to)']).encodeFunctionData('frob', [])),
);
lib.add(
  'no-ens',
  final('PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'UNSUPPORTED_OPERATION: a wallet without a provider',
  local(({ Wallet }) => new Wallet(KEY).getNonce()),
);
lib.add('no-url', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'a protocol that it does not speak', () =>
  call({ url: 'nowhere' }),
);
export default lib;
