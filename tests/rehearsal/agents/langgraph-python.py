"""LangGraph's prebuilt agent for Python. Its model's own retries are on: two."""

from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent

from tools import TASK, TOOLS, call_tool, main


def tool(name: str, description: str, parameters: dict) -> StructuredTool:
    def run(**args) -> str:
        try:
            return call_tool(name, args)
        except Exception as error:
            return f"Error: {error}"

    return StructuredTool.from_function(run, name=name, description=description, args_schema=parameters)


tools = [tool(name, **fields) for name, fields in TOOLS.items()]
graph = create_react_agent(ChatOpenAI(model="gpt-4o"), tools)

main(lambda: graph.invoke({"messages": [("user", TASK)]})["messages"][-1].text)
