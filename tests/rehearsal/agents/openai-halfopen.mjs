// The OpenAI SDK in a loop, its client guarded by Halfopen, with a run around the loop and a second model.
import { classify, createPolicies } from 'halfopen';
import { guard } from 'halfopen/guard';
import OpenAI from 'openai';
import { main, tools as own, run } from './halfopen.mjs';
import { TASK, TOOLS } from './tools.mjs';

const policies = createPolicies({ timeout: { attemptMs: 60_000 } });
const tools = Object.entries(TOOLS).map(([name, tool]) => ({
  type: 'function',
  function: { name, ...tool },
}));
const guarded = Object.fromEntries(Object.entries(own).map(([name, call]) => [name, run.tool(name, call)]));
let model = 'gpt-4o';

async function complete(body) {
  const client = guard(new OpenAI(), policies.get(model), { answers: { truncated: 'fail' } });
  try {
    return await client.chat.completions.create({ ...body, model });
  } catch (error) {
    if (classify(error).code !== 'MODEL_NOT_FOUND' || model !== 'gpt-4o') throw error;
    model = 'gpt-4.1';
    return complete(body);
  }
}

async function loop() {
  const messages = [{ role: 'user', content: TASK }];
  for (;;) {
    const advice = run.step();
    if (advice.do === 'stop') return '';
    if ('say' in advice) messages.push({ role: 'user', content: advice.say });
    const tool_choice = advice.do === 'conclude' ? 'none' : 'auto';
    const { message } = (await complete({ messages, tools, tool_choice })).choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return message.refusal ?? message.content;
    for (const { id, function: call } of message.tool_calls) {
      const tool = guarded[call.name];
      const names = Object.keys(guarded).join(', ');
      const content = tool
        ? (await tool(JSON.parse(call.arguments))).output
        : `No tool is named ${call.name}. The tools are: ${names}.`;
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
  }
}

await main(() => run.within(loop));
