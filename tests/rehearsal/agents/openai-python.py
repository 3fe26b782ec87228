"""The OpenAI SDK for Python alone, in a loop. Its own retries are on: two."""

import json

from openai import OpenAI

from tools import TASK, TOOLS, call_tool, main

client = OpenAI()
tools = [{"type": "function", "function": {"name": name, **tool}} for name, tool in TOOLS.items()]


def agent() -> str:
    messages = [{"role": "user", "content": TASK}]
    for _ in range(20):
        completion = client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools)
        message = completion.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            try:
                content = call_tool(call.function.name, json.loads(call.function.arguments))
            except Exception as error:
                content = f"Error: {error}"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    raise RuntimeError("the model did not come to an end")


main(agent)
