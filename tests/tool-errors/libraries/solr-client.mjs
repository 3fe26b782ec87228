// solr-client: SolrError with `statusCode`; what the body says is not kept. Node's errors of sockets.
import { again, final, library } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { serve } from '../servers/net.mjs';
import { addPage, addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['solr-client'] });
const client = async (url) => {
  const { hostname, port } = new URL(url);
  return (await import('solr-client')).default.createClient({
    host: hostname,
    port: port || 80,
    core: 'shop',
    path: '/solr',
  });
};
const call = async ({ url }, work = (solr, done) => solr.search(solr.query().q('title:june'), done)) => {
  const solr = await client(url);
  return new Promise((resolve, reject) =>
    work(solr, (error, found) => (error ? reject(error) : resolve(found))),
  );
};
const says = (code, msg, metadata) => ({
  responseHeader: { status: code, QTime: 1 },
  error: { msg, code, ...(metadata && { metadata }) },
});
addResponses(
  lib,
  [
    [
      'syntax',
      400,
      says(400, "org.apache.solr.search.SyntaxError: Cannot parse 'title:': Encountered <EOF>"),
      final('VALIDATION_ERROR'),
      'a query that cannot be parsed',
    ],
    [
      'no-field',
      400,
      says(400, 'undefined field frob'),
      final('VALIDATION_ERROR', 'NOT_FOUND'),
      'undefined field',
    ],
    ['bad-login', 401, says(401, 'require authentication'), final('AUTHENTICATION_ERROR'), '401'],
    ['denied', 403, says(403, 'Unauthorized request'), final('PERMISSION_DENIED'), '403'],
    [
      'no-core',
      404,
      '<html><head><title>Error 404 Not Found</title></head><body><pre>Can not find: /solr/shop/select</pre></body></html>',
      final('NOT_FOUND'),
      'no such core',
      { 'content-type': 'text/html' },
    ],
    [
      'version',
      409,
      says(409, 'version conflict for 7 expected=1 actual=2'),
      again('CONFLICT'),
      'version conflict',
    ],
    ['too-large', 413, says(413, 'Content too large'), final('VALIDATION_ERROR'), '413'],
    [
      'throttled',
      429,
      says(429, 'Too many requests for this request type.'),
      again('RATE_LIMITED'),
      'the rate limiter of Solr',
    ],
    ['broken', 500, says(500, 'java.lang.NullPointerException'), again('SERVER_ERROR'), '500'],
    [
      'loading',
      503,
      says(503, 'SolrCore is loading'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      'the core is loading',
    ],
    [
      'no-shard',
      503,
      says(503, 'no servers hosting shard: shard1'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      'no servers hosting shard',
    ],
    ['gateway', 504, '', again('TIMEOUT', 'SERVER_ERROR'), '504 without words'],
  ],
  call,
  { status: true },
);
addTransportFaults(lib, call, { abort: false, timeout: false, skip: ['cut-body'] });
lib.add('cut-json', again('INVALID_RESPONSE'), 'an unexpected end of a body is transient', async () =>
  call({
    url: (
      await serve({
        headers: { 'content-type': 'application/json' },
        body: '{"response":{"numFound":1,"docs":[{"i',
      })
    ).url,
  }),
);
addPage(lib, call);
lib.add('add-refused', final('VALIDATION_ERROR'), 'a document without what it needs', async () =>
  call(
    {
      url: (
        await serve({ status: 400, body: says(400, 'Document is missing mandatory uniqueKey field: id') })
      ).url,
    },
    (solr, done) => solr.add({ title: 'june' }, done),
  ),
);
lib.add(
  'bad-query',
  final('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'a filter without what it needs: properties of null',
  async () => (await client('http://127.0.0.1:9')).query().rangeFilter(null),
);
export default lib;
