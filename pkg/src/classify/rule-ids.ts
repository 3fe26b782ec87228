/** The ids of the rules by their numbers. */
// Written from core/src/classify/rules.rs: `UPDATE=1 cargo test -p halfopen --test generated_errors`.

export const RULE_IDS =
  'net.http2 net.reset timeout.abort timeout.abort.status cancelled.rpc cancelled.abort ' +
  'cancelled.abort.status child.spawn_timeout child.spawn_arguments child.spawn_busy child.timeout ' +
  'child.output lock.file child.locked child.exit child.spawn agent.max_iterations tool.failed_state ' +
  'agent.guardrail agent.tool_call agent.unknown_tool agent.tool_input agent.model_behavior ' +
  'agent.tool_results agent.tool_approval mcp.unauthorized mcp.timeout mcp.cancelled mcp.session ' +
  'mcp.timeout_unnamed mcp.connection_closed mcp.resource_not_found rpc.reserved rpc.not_yet ' +
  'rpc.transaction rpc.not_found rpc.invalid_request rpc.method_not_found mcp.abort ' +
  'mcp.url_elicitation rpc.busy rpc.rate rpc.transport rpc.internal http.429.insufficient_quota ' +
  'provider.quota google.limit_zero google.limit_zero.text google.long_quota google.capacity ' +
  'google.api_key google.no_identity google.location google.service_disabled provider.context_length ' +
  'provider.content_filter provider.region provider.model_not_ready provider.model_not_found ' +
  'provider.model_resource sdk.no_key sdk.no_provider sdk.no_model_kind sdk.no_model ' +
  'net.invalid_argument sdk.prompt sdk.finish_length sdk.no_key.text sdk.no_key.variable ' +
  'sdk.long_request sdk.stream_without_end sql.aborted_transaction code.long_limit config.file ' +
  'fs.not_empty config.file.parsed listed.authentication listed.exists listed.quota listed.filtered ' +
  'listed.permission listed.rate listed.conflict listed.overloaded listed.not_yet listed.missing ' +
  'listed.invalid listed.unsupported listed.config listed.timeout listed.cancelled listed.server ' +
  'listed.defect listed.trust listed.network listed.bad_answer listed.cut_answer listed.io ' +
  'listed.io_busy listed.limit listed.tool child.message.node child.message net.tls net.tls.text ' +
  'net.bad_port net.bad_redirect net.bad_address net.bad_address.text net.unknown_scheme ' +
  'net.not_http.class net.redirects net.wrapped net.http2.error timeout.errno timeout.axios net.errno ' +
  'fs.call net.call init.module init.wasm init.wasm.text http.402.card http.402 http.quota.text ' +
  'http.content_filter.text http.key.text http.output_limit.text http.context_length.text ' +
  'http.404.model.text http.model.text http.region.text evidence.timeout evidence.clock ' +
  'evidence.output http.5xx.overloaded evidence.rate evidence.rate.text evidence.rate.header ' +
  'evidence.quota evidence.quota.count evidence.quota.text evidence.server evidence.precondition ' +
  'evidence.archived evidence.transaction evidence.transaction.final evidence.long_limit.code ' +
  'evidence.long_limit evidence.conflict.text evidence.exists evidence.exists.text ' +
  'evidence.exists.hint evidence.idempotency evidence.conflict evidence.deadlock evidence.auth ' +
  'evidence.extra evidence.permission evidence.permission.text evidence.invalid evidence.not_found ' +
  'evidence.not_found.text http.407 http.401.permission http.401.permission.code http.401 http.403 ' +
  'http.404 http.408 http.408.bedrock http.409 http.412 http.413.rate_limit http.413 http.424.bedrock ' +
  'http.449 http.425 http.429.request_too_large http.429.capacity http.429.rate_limit ' +
  'http.429.capacity.text http.429.resource_exhausted http.429.short_quota http.429.billing.text ' +
  'http.429 http.419 http.420 http.499 http.498 http.529 http.5xx.overloaded.text ' +
  'http.503.model_loading http.5xx.memory http.504 http.5xx.timeout http.5xx.timeout.text http.501 ' +
  'http.526 http.507 http.5xx http.400 http.423 http.451 http.4xx code.too_large code.data_loss ' +
  'code.precondition code.content_type code.unknown code.rate_limit.too_large code.long_quota ' +
  'code.limit_zero code.rate_limit code.unreachable code.overloaded code.authentication ' +
  'code.permission code.timeout code.not_found.model code.not_found code.cancelled program.internal ' +
  'code.server code.ollama code.validation.key code.validation.quota code.validation.filter ' +
  'code.validation.output code.validation.context code.validation.model code.validation ' +
  'code.unimplemented response.no_object response.empty response.data response.html ' +
  'spelled.jose.option spelled.jose.type spelled.jose response.cut response.shape response.json ' +
  'response.json_class validation.issues validation.class validation.node text.context_length ' +
  'text.model text.provider said.filtered tool.memory tool.failed_run spelled.response ' +
  'said.authentication said.exists said.quota said.permission said.rate said.conflict said.overloaded ' +
  'said.not_yet said.missing said.invalid said.unsupported said.config said.timeout said.cancelled ' +
  'said.server said.trust said.network said.bad_answer said.cut_answer said.io said.io_busy rpc.server ' +
  'net.timeout.sdk timeout.class net.abort.sdk code.aborted spelled.rate spelled.quota spelled.exists ' +
  'spelled.constraint spelled.conflict spelled.no_key spelled.auth spelled.permission ' +
  'spelled.not_found spelled.timeout spelled.network spelled.overloaded spelled.server ' +
  'spelled.unsupported spelled.config spelled.validation net.connection.sdk net.connection.text ' +
  'net.partial.sdk response.apicall program.python program.error program.engine program.timeout ' +
  'program.network program.bad_answer program.missing program.invalid program.unsupported ' +
  'program.closed program.hinted_permission program.hinted_missing program.hinted_invalid ' +
  'program.hinted_bad_answer program.hinted_closed program.misused program.unsaid ' +
  'text.status_words.auth text.status_words.forbidden text.status_words.unavailable ' +
  'text.status_words.timeout text.status_words.bad_request text.status_words.not_found ' +
  'text.rate_limit.too_large text.rate_limit text.overloaded text.content_filter text.max_iterations ' +
  'text.timeout text.network text.server words.conflict words.permission words.broken words.network ' +
  'words.timeout words.server_gone words.server words.too_large words.not_ok words.not_found ' +
  'code.says_unknown hinted.authentication hinted.exists hinted.quota hinted.permission hinted.rate ' +
  'hinted.conflict hinted.overloaded hinted.missing hinted.invalid hinted.unsupported hinted.config ' +
  'hinted.timeout hinted.cancelled hinted.trust hinted.network hinted.bad_answer hinted.cut_answer ' +
  'hinted.io hinted.io_busy response.success hinted.misuse unknown';
