/** The rules of the rehearsal, for conversations: the words of a refusal, as strict as gateways and older models are. */
import { ANTHROPIC_RULES } from '../../../src/rehearse/rules/anthropic.js';
import { GOOGLE_RULES } from '../../../src/rehearse/rules/google.js';
import { OPENAI_CHAT_RULES } from '../../../src/rehearse/rules/openai-chat.js';
import { OPENAI_RESPONSES_RULES } from '../../../src/rehearse/rules/openai-responses.js';
import { type Any, type Rule, refusalOf } from '../../../src/rehearse/rules/shared.js';

/** Of the parameters beside a conversation, which these tests leave out. */
const OF_PARAMETERS = ['max-tokens-given', 'model-given', 'image-size', 'image-matches-type'];

/** Signatures are those that begin as the provider's do. */
const refusedBy = (rules: readonly Rule[], beginning: string) => {
  const checked = rules.filter(({ name }) => !OF_PARAMETERS.includes(name));
  const context = { isOwn: (signature: string) => signature.startsWith(beginning) };
  return (request: Any) => refusalOf(checked, request, context, true)?.words;
};

export const refusedByAnthropic = refusedBy(ANTHROPIC_RULES, 'Er');
export const refusedByGoogle = refusedBy(GOOGLE_RULES, 'Cs');
export const refusedByOpenai = refusedBy(OPENAI_CHAT_RULES, '');
export const refusedByResponses = refusedBy(OPENAI_RESPONSES_RULES, 'gAAAA');

/**
 * The requests that only the chat templates of vLLM and Mistral refuse, beside OpenAI's rules.
 * https://docs.mistral.ai/capabilities/completion
 */
export function refusedByTemplate({ messages }: Any): string | undefined {
  const spoken = messages.filter(({ role }: Any) => role !== 'system');
  if (spoken[0]?.role !== 'user')
    return 'Conversation roles must alternate user/assistant/user/assistant/...';
  const isBad = spoken.some(({ role }: Any, index: number) => {
    const next = spoken[index + 1]?.role;
    return (role === next && role !== 'tool') || (role === 'tool' && next === 'user');
  });
  return isBad ? 'Conversation roles must alternate user/assistant/user/assistant/...' : undefined;
}
