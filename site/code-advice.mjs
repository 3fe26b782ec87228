// The additions of each error code's page to the core's tables: its usual causes, the advice, and an error that gets
// the code. `thrown` are the fields of that error; codes.mjs classifies it, and refuses one that gets another code.

export const ADVICE = {
  PROVIDER_NOT_CONFIGURED: {
    causes: [
      'The API key is not set: an environment variable is missing, or the key was not passed to the client.',
    ],
    todo: [
      'Set the key. Check that the process that runs the agent has it, not only your shell.',
      'Fail over: [`failover`](../policies/failover.md) goes on with the next target after this code.',
    ],
    thrown: {
      name: 'AI_LoadAPIKeyError',
      message:
        "OpenAI API key is missing. Pass it using the 'apiKey' parameter or the OPENAI_API_KEY environment variable.",
    },
  },
  PROVIDER_NOT_SUPPORTED: {
    causes: [
      'The name of the provider is not one that your registry of models knows.',
      'The provider has no such kind of model, or the server does not implement the method (HTTP 501, gRPC UNIMPLEMENTED).',
    ],
    todo: ['Choose a provider and a kind of model that go together. Another attempt cannot succeed.'],
    thrown: { name: 'AI_NoSuchProviderError', message: 'No such provider: opneai' },
  },
  AUTHENTICATION_ERROR: {
    causes: [
      'The key is wrong, expired, revoked, or of another project, region or environment.',
      'A proxy or gateway removed the header `Authorization`.',
      'The clock of the machine is wrong, so that a signed request or a token is out of its time.',
    ],
    todo: [
      'Replace the key. Do not retry: some providers block a key after repeated failures.',
      '[`failover`](../policies/failover.md) goes on with the next target after this code.',
    ],
    thrown: { status: 401, message: '401 Incorrect API key provided' },
  },
  RATE_LIMITED: {
    causes: [
      'More requests or tokens in a span of time than your account may send.',
      'Several processes share one account, and each retries on its own.',
    ],
    todo: [
      'Nothing for a single call: the policy waits as long as `Retry-After` says, up to `maxRetryAfterMs` (60 s).',
      'Stay below the limit: [`rateLimit`](../policies/rate-limit.md) and [`bulkhead`](../policies/bulkhead.md).',
      'Do not wait at all: [fail over before a long wait](../recipes/retry-after-failover.md).',
    ],
    thrown: { status: 429, headers: { 'retry-after': '20' }, message: '429 Rate limit reached for gpt-4o' },
  },
  MODEL_NOT_FOUND: {
    causes: [
      'The name of the model is mistyped, or the model was retired.',
      'The account has no access to it, or it is not deployed in the region.',
    ],
    todo: [
      'Check the name against the list of models of your account.',
      '[`failover`](../policies/failover.md) goes on with the next target after this code.',
    ],
    thrown: {
      status: 404,
      code: 'model_not_found',
      message: '404 The model `gpt-9` does not exist or you do not have access to it.',
    },
  },
  CONTEXT_LENGTH_EXCEEDED: {
    causes: [
      'The history, the documents or the results of tools have more tokens than the context of the model, together with the room for the answer.',
    ],
    todo: [
      'Shorten the input: drop or summarise the oldest turns, [`truncate`](../degradation.md#summarising-fails) results of tools.',
      'Use a model with a larger context: [`failover`](../policies/failover.md) goes on with the next target after this code.',
      'The severity is `replanning`: an orchestrator should make another plan, not repeat the step. See [recovery](../recovery.md).',
    ],
    thrown: {
      status: 400,
      code: 'context_length_exceeded',
      message: "400 This model's maximum context length is 128000 tokens.",
    },
  },
  NETWORK_ERROR: {
    causes: [
      'DNS, TCP or TLS failed: no connection, a reset, a certificate that is not trusted.',
      'A proxy refuses the connection, or the connection broke in the middle of an answer.',
    ],
    todo: [
      'Nothing during a short interruption: the call is retried.',
      'If it persists, check the address, the proxy and the certificates of the machine. `ENOTFOUND` and an untrusted certificate do not go away by themselves.',
      'For calls that must not be carried out twice: [`idempotent: false`](../policies/call.md), or an idempotency key.',
    ],
    thrown: { code: 'ECONNRESET', syscall: 'read', message: 'read ECONNRESET' },
  },
  TIMEOUT: {
    causes: [
      'An attempt passed `attemptMs`, or the call passed `totalMs`.',
      'The server gave up first: HTTP 408 and 504, a deadline of a database or of a tool.',
      'A stream sent no first chunk in `firstChunkTimeoutMs`, or stalled for `stallTimeoutMs`.',
    ],
    todo: [
      'Give long answers time by streaming them: then [`stallTimeoutMs`](../policies/stream.md) notices a hang long before `totalMs` does.',
      'Check that `attemptMs` is longer than the slowest good answer: see [timeouts](../policies/timeout.md).',
      'The request may have been carried out. Use [`idempotent: false`](../policies/call.md) or an idempotency key where that matters.',
    ],
    thrown: { status: 504, message: '504 Gateway Timeout' },
  },
  INVALID_RESPONSE: {
    causes: [
      'The answer is empty, is cut off, or is not JSON: an HTML page of a proxy, a model that stopped in the middle of an object.',
      'Your [`validate`](../policies/call.md) refused it, or the model called a tool with wrong arguments.',
    ],
    todo: [
      "Retry it if another answer is likely: `retry: { retryOn: ['INVALID_RESPONSE', 'llm_failed', 'network', 'timeout'] }`. By default only answers that were cut off are retried.",
      'Read what came: [`ResponseHandler`](../responses.md) says what was missing.',
    ],
    thrown: {
      name: 'AI_NoObjectGeneratedError',
      message: 'No object generated: could not parse the response.',
    },
  },
  UNKNOWN: {
    causes: [
      'No rule recognised the error. Often it is a bug in the program: a `TypeError`, a plain `Error`.',
    ],
    todo: [
      'Read the cause: `error.cause` is what was thrown.',
      'If you know the library that threw it, add [a classifier of your own](../errors.md#a-classifier-of-your-own). `explainClassification(error).suggestedClassifier` is one to paste.',
      'It is not retried, because a second attempt could repeat a side effect. See [retry](../policies/retry.md) for how to retry it anyway.',
    ],
    thrown: { message: 'boom' },
  },
  SERVER_ERROR: {
    causes: [
      'The provider, or what a tool talks to, failed: HTTP 500, 502, 503, a database that is starting up or failing over.',
    ],
    todo: [
      'Nothing for a single call: it is retried, and the [breaker](../policies/breaker.md) stops calling a provider that stays down.',
      'Add a second provider: [`failover`](../policies/failover.md).',
    ],
    thrown: { status: 503, message: '503 Service Unavailable' },
  },
  PROVIDER_OVERLOADED: {
    causes: [
      'The provider is shedding load from all its customers: HTTP 529, "overloaded", gRPC UNAVAILABLE, a model that is still being loaded.',
    ],
    todo: [
      'Nothing for a single call: it is retried with backoff and jitter.',
      'Cap the retries of all calls with a [`RetryBudget`](../policies/budget.md), so that you do not add to the load.',
      'Add a second provider: [`failover`](../policies/failover.md).',
    ],
    thrown: {
      status: 529,
      error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      message: '529 Overloaded',
    },
  },
  QUOTA_EXCEEDED: {
    causes: [
      'The credit of the account is used up, or a daily or monthly quota. Providers send it as HTTP 429 too.',
    ],
    todo: [
      'Check the plan and billing. Waiting for seconds does not help, so it is not retried.',
      '[`failover`](../policies/failover.md) goes on with the next target after this code.',
      'Notice it earlier with your own [cap on cost](../recipes/cost-cap.md).',
    ],
    thrown: {
      status: 429,
      code: 'insufficient_quota',
      message: '429 You exceeded your current quota, please check your plan and billing details.',
    },
  },
  CONTENT_FILTERED: {
    causes: [
      "A safety system refused the request or stopped the answer: the provider's, or a guardrail of your agent.",
    ],
    todo: [
      'Show the message to your user: only rewording helps. The same request fails again, also at the next provider.',
    ],
    thrown: {
      status: 400,
      code: 'content_filter',
      message:
        "400 The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    },
  },
  PERMISSION_DENIED: {
    causes: [
      'The key or the user is known, and may not do this: a missing role, a region that is not served, a file of another user.',
    ],
    todo: [
      'Grant the account access, or use another one. For a tool: let the agent say what it may not do, instead of trying again.',
    ],
    thrown: { status: 403, message: '403 Your account may not use this resource' },
  },
  VALIDATION_ERROR: {
    causes: [
      'A parameter of the request is missing, of the wrong type, out of range, or too large (HTTP 400, 413, 422; a schema validator).',
    ],
    todo: [
      "Correct the request. The provider's text names the parameter: `error.cause`, or `messages: 'provider'` on the policy to have it in `error.message`.",
      'If a model wrote the arguments of a tool, give the text back to the model with [`toolResult`](../guides/tools.md).',
    ],
    thrown: { status: 422, message: '422 temperature must be at most 2' },
  },
  NOT_FOUND: {
    causes: [
      'A record, a file, a page or a session does not exist (HTTP 404, `ENOENT`). A model that does not exist is [MODEL_NOT_FOUND](./MODEL_NOT_FOUND.md).',
    ],
    todo: [
      'Check the name and address. For a tool: give the result to the model, which may have made up the name.',
    ],
    thrown: {
      code: 'ENOENT',
      syscall: 'open',
      message: "ENOENT: no such file or directory, open 'notes.txt'",
    },
  },
  CANCELLED: {
    causes: [
      'The `signal` of the call was aborted, the policy was disposed, or the operation was aborted by its own caller.',
    ],
    todo: [
      'Nothing. It is not a failure: neither the breaker nor the fallback reacts to it, and you should not log it as an error.',
    ],
    thrown: { name: 'AbortError', message: 'The operation was aborted.' },
  },
  IO_ERROR: {
    causes: ['Reading or writing failed: the disk is full, the file is locked, the device is gone.'],
    todo: [
      'Free space, or write elsewhere. [`degrade`](../degradation.md#storing-fails) goes on without what could not be stored.',
    ],
    thrown: {
      code: 'ENOSPC',
      syscall: 'write',
      errno: -28,
      message: 'ENOSPC: no space left on device, write',
    },
  },
  CONFIG_ERROR: {
    causes: ['A setting is wrong: an address that cannot be parsed, a port that is blocked.'],
    todo: ['Correct the setting. Another attempt cannot succeed.'],
    thrown: { name: 'TypeError', code: 'ERR_INVALID_URL', input: 'htp//x', message: 'Invalid URL' },
  },
  LLM_ASSIST_REQUIRED: {
    causes: [
      'One of your tools reported it: it needs a model, or your user, to decide something before it can go on. No rule gives this code.',
    ],
    todo: [
      'Give the result to the model and let it make a new plan: the severity is `replanning`. See [recovery](../recovery.md).',
    ],
  },
  MAX_ITERATIONS_EXCEEDED: {
    causes: [
      "The agent's loop reached its bound: [`iterationLimit`](../guides/tools.md), or that of a framework.",
    ],
    todo: [
      'Look at the last steps in [devtools](../devtools.md): usually one tool fails in the same way each time, and the model keeps calling it.',
      'Raise the bound only when the task needs it.',
    ],
    thrown: {
      name: 'GraphRecursionError',
      lc_error_code: 'GRAPH_RECURSION_LIMIT',
      message: 'Recursion limit of 25 reached without hitting a stop condition.',
    },
  },
  TOOL_EXECUTION_ERROR: {
    causes: [
      'A tool failed, and nothing says more precisely how: a command ended with an exit code, an MCP server does not have the method.',
    ],
    todo: [
      'Give the text to the model with [`toolResult`](../guides/tools.md).',
      'Let the tool throw errors with a code: then the agent can decide whether another attempt makes sense.',
    ],
    thrown: { name: 'AI_ToolExecutionError', message: 'Error executing tool weather: no such city' },
  },
  INITIALIZATION_ERROR: {
    causes: [
      'Something that the agent needs could not be loaded: a module is missing, or WebAssembly may not be compiled here.',
    ],
    todo: [
      'Under a Content-Security-Policy without `wasm-unsafe-eval`, import `halfopen/js`.',
      'The severity is `fatal`: stop, and start again once the cause is fixed.',
    ],
    thrown: {
      code: 'ERR_MODULE_NOT_FOUND',
      message: "Cannot find package 'sharp' imported from /app/agent.js",
    },
  },
  CIRCUIT_OPEN: {
    causes: [
      'The [breaker](../policies/breaker.md) of the policy is open, because the provider failed repeatedly, or somebody isolated it. Nothing was sent.',
    ],
    todo: [
      'Look in [devtools](../devtools.md) at why it opened; `retryAfterMs` says when a probe may be sent.',
      '[`failover`](../policies/failover.md) skips a target whose breaker is open; a [`fallback`](../policies/fallback.md) runs.',
    ],
  },
  CAPACITY_EXCEEDED: {
    causes: [
      'A limit of your own: the [bulkhead](../policies/bulkhead.md) and its queue are full, the [rate limit](../policies/rate-limit.md) or the [cap on cost](../recipes/cost-cap.md) is used up. Nothing was sent.',
    ],
    todo: [
      'Send it later: `retryAfterMs` says when, if that is known.',
      'Raise the limit, or let less important calls wait.',
    ],
  },
  CONFLICT: {
    causes: [
      'The state changed under the request: a deadlock, a failed write by optimistic locking, a lock that another client holds (HTTP 409 and 423; SQLSTATE 40001 and 40P01). A precondition that failed (HTTP 412) is a conflict that is not retried.',
    ],
    todo: [
      'Nothing, if the operation is the whole transaction: it is retried. Put the whole transaction into the operation, not only its last statement.',
      'The breaker does not count it: contention says nothing about the health of the server.',
    ],
    thrown: { code: '40P01', severity: 'ERROR', routine: 'DeadLockReport', message: 'deadlock detected' },
  },
  ALREADY_EXISTS: {
    causes: ['A unique key, a file or a name is taken (SQLSTATE 23505, `EEXIST`).'],
    todo: [
      'Choose another name, or update what is there. After a TIMEOUT it may mean that the first attempt succeeded.',
    ],
    thrown: { code: 'EEXIST', syscall: 'mkdir', message: "EEXIST: file already exists, mkdir 'out'" },
  },
};
