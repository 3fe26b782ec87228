// The replies of failing Elasticsearch and OpenSearch servers.
import { again, final, unclear } from './expect.mjs';
import { serve } from './servers/net.mjs';
import { addTransportFaults } from './transport-faults.mjs';

const failure = (status, type, reason, more = {}) => ({
  status,
  error: { root_cause: [{ type, reason }], type, reason, ...more },
});
export function addSearchFaults(lib, call, product, transport = {}) {
  for (const [name, status, type, reason, expect, why, more] of [
    [
      'no-index',
      404,
      'index_not_found_exception',
      'no such index [products]',
      final('NOT_FOUND'),
      'a missing index is no missing model',
      { index: 'products' },
    ],
    [
      'version-conflict',
      409,
      'version_conflict_engine_exception',
      '[1]: version conflict, required seqNo [3], primary term [1]. current document has seqNo [4] and primary term [1]',
      again('CONFLICT'),
      'somebody wrote the document',
    ],
    [
      'document-exists',
      409,
      'version_conflict_engine_exception',
      '[1]: version conflict, document already exists (current version [1])',
      final('ALREADY_EXISTS', 'CONFLICT'),
      'created with op_type create',
    ],
    [
      'index-exists',
      400,
      'resource_already_exists_exception',
      'index [products/abc] already exists',
      final('ALREADY_EXISTS'),
      'a 400 that says already exists',
    ],
    [
      'rejected',
      429,
      'es_rejected_execution_exception',
      'rejected execution of coordinating operation [coordinating_and_primary_bytes=0]',
      again('PROVIDER_OVERLOADED', 'RATE_LIMITED'),
      'the queue of the node is full',
    ],
    [
      'circuit-breaker',
      429,
      'circuit_breaking_exception',
      '[parent] Data too large, data for [<http_request>] would be [990mb], which is larger than the limit of [986mb]',
      again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR', 'CAPACITY_EXCEEDED'),
      'memory of the node; durability is in the body',
      { durability: 'TRANSIENT', bytes_wanted: 1 },
    ],
    [
      'parsing',
      400,
      'parsing_exception',
      'unknown query [mach_all]',
      final('VALIDATION_ERROR'),
      'a model wrote this query',
    ],
    [
      'mapper',
      400,
      'document_parsing_exception',
      "[1:9] failed to parse field [price] of type [float] in document with id '1'",
      final('VALIDATION_ERROR'),
      'the document does not fit: "failed to parse" is no broken answer',
    ],
    [
      'phase',
      400,
      'search_phase_execution_exception',
      'all shards failed',
      final('VALIDATION_ERROR'),
      'the cause says which',
      {
        root_cause: [
          { type: 'query_shard_exception', reason: 'No mapping found for [x] in order to sort on' },
        ],
        failed_shards: [],
      },
    ],
    [
      'all-shards-failed',
      503,
      'search_phase_execution_exception',
      'all shards failed',
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      'shards come back',
    ],
    [
      'no-shard',
      503,
      'no_shard_available_action_exception',
      'No shard available for [get [products][1]: routing [null]]',
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      'shards come back',
    ],
    [
      'no-master',
      503,
      'master_not_discovered_exception',
      'null',
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      'an election',
    ],
    [
      'cluster-block',
      403,
      'cluster_block_exception',
      'index [products] blocked by: [FORBIDDEN/8/index write (api)];',
      final('PERMISSION_DENIED', 'CONFIG_ERROR', 'CONFLICT'),
      'a block that stays',
    ],
    [
      'flood-stage',
      429,
      'cluster_block_exception',
      'index [products] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];',
      unclear('QUOTA_EXCEEDED', 'PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR', 'IO_ERROR'),
      'the disk is full, until somebody makes room',
    ],
    [
      'security',
      401,
      'security_exception',
      'missing authentication credentials for REST request [/products/_search]',
      final('AUTHENTICATION_ERROR'),
      '401',
    ],
    [
      'unauthorized',
      403,
      'security_exception',
      'action [indices:data/read/search] is unauthorized for user [agent]',
      final('PERMISSION_DENIED'),
      '403',
    ],
    [
      'process-cluster-timeout',
      503,
      'process_cluster_event_timeout_exception',
      'failed to process cluster event (put-mapping) within 30s',
      again('TIMEOUT', 'SERVER_ERROR'),
      'a timeout as 503',
    ],
    [
      'too-many-scrolls',
      429,
      'too_many_scroll_contexts_exception',
      'Trying to create too many scroll contexts. Must be less than or equal to: [500].',
      again('RATE_LIMITED', 'PROVIDER_OVERLOADED', 'CAPACITY_EXCEEDED'),
      'scrolls end',
    ],
    [
      'scroll-missing',
      404,
      'search_context_missing_exception',
      'No search context found for id [1]',
      final('NOT_FOUND'),
      'the scroll has expired',
    ],
    [
      'max-buckets',
      400,
      'too_many_buckets_exception',
      'Trying to create too many buckets. Must be less than or equal to: [65536] but was [65537].',
      final('VALIDATION_ERROR'),
      'too many, and it stays so: no rate limit',
    ],
  ]) {
    lib.add(name, { ...expect, status }, why, async () =>
      call({
        url: (await serve({ status, headers: product, body: failure(status, type, reason, more) })).url,
      }),
    );
  }
  lib.add('cut-json', again('INVALID_RESPONSE'), 'an unexpected end of a body is transient', async () =>
    call({
      url: (
        await serve({
          headers: { ...product, 'content-type': 'application/json' },
          body: '{"hits":{"total":{"va',
        })
      ).url,
    }),
  );
  addTransportFaults(lib, call, transport);
}
