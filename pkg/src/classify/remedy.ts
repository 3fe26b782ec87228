/** The change that would make a provider accept a request, or a model answer it. */

/** The change that would make the provider accept the request, or the model answer it. */
export type Remedy =
  /** Tool calls without results, or results without calls; the ids that the provider named, [] where it named none. */
  | { kind: 'pair-tool-calls'; ids: readonly string[] }
  /** Reasoning or its signature is of another model, altered, expired, out of place, or missing. */
  | { kind: 'fix-reasoning' }
  /** Empty parts, roles that must alternate or begin with the user, white space at the end. */
  | { kind: 'fix-messages'; problem: 'empty' | 'order' | 'trailing-space' }
  /** The model continues no assistant message (prefill). */
  | { kind: 'end-with-user' }
  /** Unknown to, or unsupported by, the model. */
  | { kind: 'drop-parameter'; name: string }
  /** `max_tokens` is now `max_completion_tokens`. */
  | { kind: 'rename-parameter'; from: string; to: string }
  /** The only value, the limit, or the named one nearest to what was sent. */
  | { kind: 'set-parameter'; name: string; value: number | string | boolean }
  /** In tokens: what fits, and what was sent, where the provider said. */
  | { kind: 'shorten'; limit?: number | undefined; sent?: number | undefined }
  | {
      kind: 'drop-media';
      reason: 'too-large' | 'too-many' | 'unsupported' | 'unreadable';
      /** Where the provider points: `messages[3].content[1]`. */
      at?: string | undefined;
      limit?: number | undefined;
    }
  /** Ids of tool calls that this provider does not take, frequent after a failover. */
  | { kind: 'rename-calls'; pattern?: string | undefined; maxLength?: number | undefined }
  /** Names of tools must match. */
  | { kind: 'rename-tools'; pattern?: string | undefined; maxLength?: number | undefined }
  /** A response or an item is not stored: send the whole conversation. */
  | { kind: 'resend-history' }
  /** MCP: the server does not know the session. */
  | { kind: 'new-session' }
  /** Sample the model once more, and report the fault to it if that is allowed. */
  | {
      kind: 'ask-again';
      because: 'empty' | 'invalid-json' | 'invalid-output' | 'invalid-arguments' | 'unknown-tool';
    }
  /** Cut off by the limit of tokens. */
  | { kind: 'raise-output-limit' }
  /** This model will never accept the request. */
  | { kind: 'other-model'; because: 'refused' | 'filtered' | 'retired' | 'lacks-feature' };

/** The kind of a remedy. */
export type RemedyKind = Remedy['kind'];

/** All kinds of remedies. */
export const REMEDY_KINDS: readonly RemedyKind[] = [
  'pair-tool-calls',
  'fix-reasoning',
  'fix-messages',
  'end-with-user',
  'drop-parameter',
  'rename-parameter',
  'set-parameter',
  'shorten',
  'drop-media',
  'rename-calls',
  'rename-tools',
  'resend-history',
  'new-session',
  'ask-again',
  'raise-output-limit',
  'other-model',
];

/**
 * The remedies that guards of models apply by themselves: they lose nothing that the user or the model said. `end-with-user` is
 * not among them, as a prefill means "go on from here".
 */
export const SAFE_REPAIRS: readonly RemedyKind[] = [
  'pair-tool-calls',
  'fix-reasoning',
  'fix-messages',
  'rename-calls',
  'drop-parameter',
  'rename-parameter',
  'set-parameter',
  'ask-again',
];
