"""The tools of an application: HTTP services that may fail. The task and the addresses come from the rehearsal."""

import json
import os
import urllib.request

TASK = os.environ["HALFOPEN_REHEARSE_TASK"]


def parameters(**properties: str) -> dict:
    types = {name: {"type": kind} for name, kind in properties.items()}
    return {"type": "object", "properties": types, "required": list(properties)}


TOOLS = {
    "find_order": {
        "description": "Finds an order and says whether it was refunded.",
        "parameters": parameters(order_id="string"),
    },
    "refund": {
        "description": "Refunds an order.",
        "parameters": parameters(order_id="string", amount="number"),
    },
    "send_mail": {
        "description": "Sends a mail to the customer.",
        "parameters": parameters(to="string", text="string"),
    },
    "search": {"description": "Searches the help pages.", "parameters": parameters(query="string")},
}


def call_tool(name: str, args: dict) -> str:
    """Calls a tool. Raises an error if the service does not answer with 200."""
    url = f"{os.environ['HALFOPEN_REHEARSE_TOOLS_URL']}/{name}"
    request = urllib.request.Request(url, json.dumps(args).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return response.read().decode()


def main(agent) -> None:
    """What most agents do at their outermost: the user reads the answer, or a sentence with the error's message."""
    try:
        print(agent())
    except Exception as error:
        print(f"Sorry, something went wrong: {error}")
