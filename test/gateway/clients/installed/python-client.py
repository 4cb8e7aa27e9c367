"""The official Python client: `python-client.py URL MODE` prints one line of JSON with what it was told."""

import asyncio
import json
import sys

from mcp import Client, MCPError
from mcp import types


async def elicit(_context, params):
    if getattr(params, "mode", "form") == "url":
        return types.ElicitResult(action="accept")
    names = params.requested_schema["properties"]
    return types.ElicitResult(action="accept", content={name: f"my {name}" for name in names})


async def sample(_context, _params):
    content = types.TextContent(type="text", text="four")
    return types.CreateMessageResult(role="assistant", content=content, model="a model")


async def list_roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///home/someone", name="home")])


calls = [
    ("test_simple_text", {}),
    ("test_multiple_content_types", {}),
    ("test_structured_content", {"count": 3}),
    ("test_error_handling", {}),
    ("test_elicitation", {"message": "Who?"}),
    ("test_sampling", {"prompt": "2 + 2?"}),
    ("test_input_required_result_list_roots", {}),
    ("test_input_required_result_multiple_inputs", {}),
    ("test_input_required_result_multi_round", {}),
]


def dump(result):
    told = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    for key in ("_meta", "ttlMs", "cacheScope", "resultType", "nextCursor"):
        told.pop(key, None)
    for tool in told.get("tools", []):
        tool.pop("execution", None)
    return told


async def main(url, mode):
    callbacks = {"elicitation_callback": elicit, "sampling_callback": sample, "list_roots_callback": list_roots}
    told = []
    async with Client(url, mode=mode, **callbacks) as client:
        listed = dump(await client.list_tools())
        told.append(sorted(listed["tools"], key=lambda tool: tool["name"]))
        told.append(dump(await client.read_resource("test://static-text")))
        told.append(dump(await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})))
        for name, arguments in calls:
            try:
                told.append([name, dump(await client.call_tool(name, arguments))])
            except MCPError as error:
                told.append([name, error.code])
    print(json.dumps(told))


asyncio.run(main(*sys.argv[1:3]))
