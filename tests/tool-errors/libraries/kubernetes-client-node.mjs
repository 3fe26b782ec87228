// @kubernetes/client-node: ApiException with the status as `code`, a Status object as `body`, and plain `headers`.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@kubernetes/client-node'] });
const config = async (server) => {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const kube = new KubeConfig();
  kube.loadFromOptions({
    clusters: [{ name: 'shop', server, skipTLSVerify: server.startsWith('http:') }],
    users: [{ name: 'agent', token: SECRET }],
    contexts: [{ name: 'shop', cluster: 'shop', user: 'agent', namespace: 'default' }],
    currentContext: 'shop',
  });
  return kube;
};
const call = async ({ url }) => {
  const { AppsV1Api } = await import('@kubernetes/client-node');
  const api = (await config(url)).makeApiClient(AppsV1Api);
  return api.replaceNamespacedDeployment({
    name: 'web',
    namespace: 'default',
    body: { metadata: { name: 'web' }, spec: { selector: {}, template: {} } },
  });
};
// `reason` of metav1.Status: k8s.io/apimachinery/pkg/apis/meta/v1/types.go
const deployment = { name: 'web', group: 'apps', kind: 'deployments' };
for (const [name, code, reason, message, expect, why, details = deployment, headers = {}] of [
  ['unauthorized', 401, 'Unauthorized', 'Unauthorized', final('AUTHENTICATION_ERROR'), 'Unauthorized'],
  [
    'rbac',
    403,
    'Forbidden',
    'deployments.apps "web" is forbidden: User "agent" cannot update resource "deployments" in API group "apps" in the namespace "default"',
    final('PERMISSION_DENIED'),
    'Forbidden',
  ],
  [
    'quota',
    403,
    'Forbidden',
    'pods "web-1" is forbidden: exceeded quota: compute, requested: limits.cpu=2, used: limits.cpu=9, limited: limits.cpu=10',
    final('QUOTA_EXCEEDED', 'PERMISSION_DENIED'),
    'a 403 about a quota of the namespace',
  ],
  ['missing', 404, 'NotFound', 'deployments.apps "web" not found', final('NOT_FOUND'), 'NotFound'],
  [
    'exists',
    409,
    'AlreadyExists',
    'deployments.apps "web" already exists',
    final('ALREADY_EXISTS'),
    'AlreadyExists',
  ],
  [
    'conflict',
    409,
    'Conflict',
    'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
    unclear('CONFLICT'),
    'changed under the request: read it again',
  ],
  [
    'invalid',
    422,
    'Invalid',
    'Deployment.apps "web" is invalid: spec.template.spec.containers: Required value',
    final('VALIDATION_ERROR'),
    'Invalid',
    {
      ...deployment,
      causes: [
        {
          reason: 'FieldValueRequired',
          message: 'Required value',
          field: 'spec.template.spec.containers',
        },
      ],
    },
  ],
  [
    'bad-request',
    400,
    'BadRequest',
    'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field',
    final('VALIDATION_ERROR'),
    'BadRequest',
  ],
  [
    'webhook-denied',
    400,
    'BadRequest',
    'admission webhook "policy.example.com" denied the request: images must come from registry.example.com',
    final('VALIDATION_ERROR', 'PERMISSION_DENIED'),
    'a policy of the cluster',
  ],
  [
    'throttled',
    429,
    'TooManyRequests',
    'Too many requests, please try again later.',
    again('RATE_LIMITED', 'PROVIDER_OVERLOADED', { retryAfterMs: 5000 }),
    'priority and fairness',
    { retryAfterSeconds: 5 },
    { 'retry-after': '5' },
  ],
  [
    'disruption-budget',
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    again('RATE_LIMITED', 'CONFLICT', { retryAfterMs: 10_000 }),
    'the hint stands in the body only',
    { retryAfterSeconds: 10 },
  ],
  [
    'server-timeout',
    504,
    'Timeout',
    'Timeout: request did not complete within requested timeout - context deadline exceeded',
    again('TIMEOUT', 'SERVER_ERROR'),
    'Timeout',
    {},
  ],
  [
    'try-again',
    500,
    'ServerTimeout',
    'The POST operation against deployments.apps could not be completed at this time, please try again.',
    again('SERVER_ERROR', 'TIMEOUT', { retryAfterMs: 2000 }),
    'ServerTimeout with a hint in the body',
    { ...deployment, retryAfterSeconds: 2 },
  ],
  ['etcd', 500, undefined, 'etcdserver: leader changed', again('SERVER_ERROR'), 'the store elects a leader'],
  [
    'webhook-down',
    500,
    'InternalError',
    'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.default.svc:443/validate": dial tcp 10.0.0.7:443: connect: connection refused',
    again('SERVER_ERROR', 'NETWORK_ERROR'),
    'InternalError',
    { causes: [{ message: 'failed calling webhook "policy.example.com"' }] },
  ],
  [
    'unavailable',
    503,
    'ServiceUnavailable',
    'the server is currently unable to handle the request',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'ServiceUnavailable',
    {},
  ],
  [
    'expired',
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    unclear('NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT'),
    'Expired: begin anew',
    {},
  ],
  [
    'terminating',
    403,
    'Forbidden',
    'deployments.apps "web" is forbidden: unable to create new content in namespace shop because it is being terminated',
    unclear('PERMISSION_DENIED', 'CONFLICT'),
    'a namespace that is going away',
    {
      ...deployment,
      causes: [{ reason: 'NamespaceTerminating', message: 'namespace shop is being terminated' }],
    },
  ],
  [
    'too-large',
    413,
    'RequestEntityTooLarge',
    'Request entity too large: limit is 3145728',
    final('VALIDATION_ERROR'),
    'the same object is as large again',
    {},
  ],
]) {
  const { retryAfterMs, ...right } = expect;
  lib.add(name, { ...right, status: code, ...(retryAfterMs && { retryAfterMs }) }, why, async () =>
    call({
      url: (
        await serve({
          status: code,
          headers: { 'audit-id': '5f1b7a52-CANARY-0009', ...headers },
          body: {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Failure',
            message,
            reason,
            details,
            code,
          },
        })
      ).url,
    }),
  );
}
addTransportFaults(lib, call, { abort: false, timeout: false, skip: ['cut-body'] }); // It waits for the rest for ever.
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'a certificate that is not trusted',
  async () => call({ url: (await serve({ body: {} }, { tls: true })).url }),
);
lib.add(
  'no-cluster',
  final('CONFIG_ERROR', 'PROVIDER_NOT_CONFIGURED', 'INITIALIZATION_ERROR', 'VALIDATION_ERROR'),
  'No active cluster!',
  async () => {
    const { KubeConfig, CoreV1Api } = await import('@kubernetes/client-node');
    return new KubeConfig().makeApiClient(CoreV1Api);
  },
);
lib.add('no-file', final('NOT_FOUND', 'CONFIG_ERROR'), 'ENOENT: there is no kubeconfig', async () => {
  const { KubeConfig } = await import('@kubernetes/client-node');
  return new KubeConfig().loadFromFile('/nowhere/config');
});
lib.add('bad-yaml', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'a kubeconfig that is no YAML', async () => {
  const { KubeConfig } = await import('@kubernetes/client-node');
  return new KubeConfig().loadFromString('clusters: [\n  - name: shop');
});
lib.add(
  'missing-argument',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'RequiredError: a mistake of the program',
  async () => {
    const { CoreV1Api } = await import('@kubernetes/client-node');
    const api = (await config((await serve({ body: {} })).url)).makeApiClient(CoreV1Api);
    return api.readNamespacedPod({ name: 'web' });
  },
);
export default lib;
