/**
 * The rules of Anthropic's Messages API, in its words as far as they are recorded (`isRecorded`). The alternation of roles is a rule
 * of gateways, and of the API before it joined messages itself.
 */
import { isRetired, limitsOf } from './models.js';
import { type Any, first, imageTypeOf, isBlank, listOf, type Rule, repeated, tokensOf } from './shared.js';

const REFERENCE = 'https://docs.claude.com/en/api/messages';
const TOOLS = 'https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use';
const THINKING = 'https://docs.claude.com/en/docs/build-with-claude/extended-thinking';
const VISION = 'https://docs.claude.com/en/docs/build-with-claude/vision';

const blocksOf = ({ content }: Any): Any[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
const idsOf = (message: Any, type: string, id: string): string[] =>
  listOf(message?.content).flatMap((block) => (block.type === type ? [block[id]] : []));

/** What a rule says of the blocks of each message, with the place before it. */
const inMessages =
  (look: (blocks: Any[], message: Any, index: number, messages: Any[]) => string | undefined) =>
  ({ messages }: Any) =>
    first(listOf(messages), (message, index) => {
      const words = look(blocksOf(message), message, index, messages);
      return words === undefined ? undefined : `messages.${index}: ${words}`;
    });

const inBlocks = (look: (block: Any, role: string) => string | undefined) =>
  inMessages((blocks, { role }) => first(blocks, (block) => look(block, role)));

export const ANTHROPIC_RULES: readonly Rule[] = [
  {
    name: 'model-found',
    source: 'https://docs.claude.com/en/docs/about-claude/model-deprecations',
    status: 404,
    code: 'not_found_error',
    broken: ({ model }) => (isRetired(model) ? `model: ${model}` : undefined),
  },
  {
    name: 'model-given',
    source: REFERENCE,
    broken: ({ model }) => (typeof model === 'string' && model !== '' ? undefined : 'model: Field required'),
  },
  {
    name: 'max-tokens-given',
    source: REFERENCE,
    broken: ({ max_tokens }) => (max_tokens === undefined ? 'max_tokens: Field required' : undefined),
  },
  {
    name: 'max-tokens-of-model',
    source: 'https://docs.claude.com/en/docs/about-claude/models/overview',
    isRecorded: true,
    broken: ({ max_tokens: most, model }) => {
      const { outputTokens } = limitsOf(model);
      return most > outputTokens
        ? `max_tokens: ${most} > ${outputTokens}, which is the maximum allowed number of output tokens for ${model}`
        : undefined;
    },
  },
  {
    name: 'temperature-range',
    source: REFERENCE,
    broken: ({ temperature }) =>
      temperature > 1 || temperature < 0
        ? `temperature: range: ${temperature < 0 ? 'min 0' : '0..1'}`
        : undefined,
  },
  {
    name: 'one-sampler',
    source: 'https://docs.claude.com/en/docs/about-claude/models/migrating-to-claude-4',
    broken: ({ temperature, top_p, model }) =>
      temperature != null && top_p != null && limitsOf(model).takesOneSampler
        ? '`temperature` and `top_p` cannot both be specified for this model. Please use only one.'
        : undefined,
  },
  {
    name: 'thinking-budget',
    source: THINKING,
    broken: ({ thinking, max_tokens }) => {
      if (thinking?.type !== 'enabled' || thinking.budget_tokens === undefined) return undefined;
      if (thinking.budget_tokens < 1024)
        return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
      return thinking.budget_tokens >= max_tokens
        ? '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size'
        : undefined;
    },
  },
  {
    name: 'messages-given',
    source: REFERENCE,
    broken: ({ messages }) =>
      listOf(messages).length === 0 ? 'messages: at least one message is required' : undefined,
  },
  {
    name: 'roles-known',
    source: REFERENCE,
    broken: inMessages((_blocks, { role }) => {
      if (role === 'system')
        return 'Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
      return ['user', 'assistant'].includes(role)
        ? undefined
        : `Unexpected role "${role}". Allowed roles are "user" or "assistant"`;
    }),
  },
  {
    name: 'first-is-user',
    source: REFERENCE,
    isRecorded: true,
    broken: ({ messages }) =>
      messages[0]?.role === 'user' ? undefined : 'messages: first message must use the "user" role',
  },
  {
    name: 'roles-alternate',
    source: 'https://docs.claude.com/en/api/messages (joined since 2024)',
    isOnlyOfGateways: true,
    broken: ({ messages }) =>
      first(listOf(messages), ({ role }, index) =>
        messages[index + 1]?.role === role
          ? `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`
          : undefined,
      ),
  },
  {
    name: 'content-not-empty',
    source: REFERENCE,
    broken: ({ messages }) =>
      first(listOf(messages), (message, index) => {
        const isEmpty = message.content === '' || blocksOf(message).length === 0;
        const isFinal = index === messages.length - 1 && message.role === 'assistant';
        return isEmpty && !isFinal
          ? `messages.${index}: all messages must have non-empty content except for the optional final assistant message`
          : undefined;
      }),
  },
  {
    name: 'text-not-blank',
    source: REFERENCE,
    broken: ({ messages }) =>
      first(listOf(messages), (message, index) => {
        if (message.content === '') return undefined;
        const isBad = blocksOf(message).some(
          ({ type, text, content }) =>
            (type === 'text' && isBlank(text)) ||
            (type === 'tool_result' &&
              listOf(content).some((one) => one.type === 'text' && isBlank(one.text))),
        );
        return isBad ? `messages.${index}: text content blocks must be non-empty` : undefined;
      }),
  },
  {
    name: 'results-come-first',
    source: TOOLS,
    broken: inMessages((blocks) => {
      const others = blocks.findIndex(({ type }) => type !== 'tool_result');
      const isLate = others >= 0 && blocks.slice(others).some(({ type }) => type === 'tool_result');
      return isLate ? '`tool_result` blocks must come first' : undefined;
    }),
  },
  {
    name: 'blocks-of-role',
    source: REFERENCE,
    broken: inBlocks(({ type }, role) =>
      (type === 'tool_use' || type === 'thinking') && role !== 'assistant'
        ? `\`${type}\` blocks can only be in \`assistant\` messages`
        : undefined,
    ),
  },
  {
    name: 'calls-have-results',
    source: TOOLS,
    isRecorded: true,
    broken: inMessages((_blocks, message, index, messages) => {
      const results = idsOf(messages[index + 1], 'tool_result', 'tool_use_id');
      const missing = idsOf(message, 'tool_use', 'id').filter((id) => !results.includes(id));
      return missing.length > 0
        ? `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
        : undefined;
    }),
  },
  {
    name: 'results-have-calls',
    source: TOOLS,
    broken: inMessages((_blocks, message, index, messages) => {
      const calls = idsOf(messages[index - 1], 'tool_use', 'id');
      const orphan = idsOf(message, 'tool_result', 'tool_use_id').find((id) => !calls.includes(id));
      return orphan === undefined
        ? undefined
        : `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }),
  },
  {
    name: 'one-result-each',
    source: TOOLS,
    broken: inMessages((_blocks, message) =>
      repeated(idsOf(message, 'tool_result', 'tool_use_id'))
        ? 'each tool_use must have a single result. Found multiple `tool_result` blocks'
        : undefined,
    ),
  },
  {
    name: 'ids-unique',
    source: TOOLS,
    broken: inMessages((_blocks, message) =>
      repeated(idsOf(message, 'tool_use', 'id')) ? '`tool_use` ids must be unique' : undefined,
    ),
  },
  {
    name: 'signature-own',
    source: THINKING,
    broken: ({ messages }, { isOwn }) =>
      inBlocks(({ type, signature, thinking }) =>
        type === 'thinking' && (typeof signature !== 'string' || !isOwn(signature, String(thinking)))
          ? 'Invalid `signature` in `thinking` block'
          : undefined,
      )({ messages }),
  },
  {
    name: 'no-trailing-whitespace',
    source: 'https://docs.claude.com/en/docs/build-with-claude/prefill-claudes-response',
    broken: ({ messages }) => {
      const last = messages.at(-1);
      return last.role === 'assistant' && /\s$/.test(blocksOf(last).at(-1)?.text ?? '')
        ? 'messages: final assistant content cannot end with trailing whitespace'
        : undefined;
    },
  },
  {
    name: 'no-prefill',
    source: 'https://docs.claude.com/en/docs/build-with-claude/prefill-claudes-response',
    broken: ({ messages, model }) =>
      messages.at(-1).role === 'assistant' && limitsOf(model).takesNoPrefill
        ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
        : undefined,
  },
  {
    name: 'thinking-kept',
    source: THINKING,
    broken: ({ thinking, messages }) => {
      if (thinking?.type !== 'enabled') return undefined;
      const isLoop = idsOf(messages.at(-1), 'tool_result', 'tool_use_id').length > 0;
      const type = listOf(messages.at(-2)?.content)[0]?.type;
      return isLoop && type !== 'thinking' && type !== 'redacted_thinking'
        ? `Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\``
        : undefined;
    },
  },
  {
    name: 'tool-names',
    source: TOOLS,
    broken: ({ tools }) =>
      first(listOf(tools), ({ type, name }, index) =>
        (type === undefined || type === 'custom') && !/^[a-zA-Z0-9_-]{1,128}$/.test(name)
          ? `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
          : undefined,
      ),
  },
  {
    name: 'tool-names-unique',
    source: TOOLS,
    broken: ({ tools }) =>
      repeated(listOf(tools).map(({ name }) => name)) ? 'tools: Tool names must be unique.' : undefined,
  },
  {
    name: 'image-type',
    source: VISION,
    broken: inBlocks(({ type, source }) =>
      type === 'image' &&
      source?.type === 'base64' &&
      !['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(source.media_type)
        ? "source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
        : undefined,
    ),
  },
  {
    name: 'image-matches-type',
    source: VISION,
    broken: inBlocks(({ type, source }) => {
      const found = type === 'image' ? imageTypeOf(String(source?.data ?? '')) : undefined;
      return found !== undefined && found !== source.media_type
        ? `Image does not match the provided media type ${source.media_type}`
        : undefined;
    }),
  },
  {
    name: 'image-size',
    source: VISION,
    broken: inBlocks(({ type, source }) => {
      const bytes = type === 'image' ? Math.floor((String(source?.data ?? '').length * 3) / 4) : 0;
      return bytes > 5_242_880 ? `image exceeds 5 MB maximum: ${bytes} bytes > 5242880 bytes` : undefined;
    }),
  },
  {
    name: 'context-length',
    source: 'tests/sdk-errors/faults.mjs',
    isRecorded: true,
    broken: (request, context) => {
      const most = context.contextTokens ?? limitsOf(request.model).contextTokens;
      const tokens = tokensOf(request);
      return tokens > most ? `prompt is too long: ${tokens} tokens > ${most} maximum` : undefined;
    },
  },
];
