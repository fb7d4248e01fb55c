"""OpenAI Agents SDK: the tool comes with each request, from the page. A run stops at its call, and the next request brings the result."""

import json
import os
from uuid import uuid4

from agents import Agent, FunctionTool, Runner, set_default_openai_api, set_tracing_disabled
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import StreamingResponse
from starlette.routing import Route

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."

set_tracing_disabled(True)
set_default_openai_api("chat_completions")  # Leave it out for OpenAI's own models.


async def answered_by_the_page(context, arguments):
    return ""  # The run stops here, and this is never sent.


def tool_of(page):
    parameters = page["parameters"]
    return FunctionTool(page["name"], page["description"], parameters, answered_by_the_page, strict_json_schema=False)


def items(messages):
    """AG-UI's messages as the SDK takes them."""
    for message in messages:
        if message["role"] == "tool":
            yield {"type": "function_call_output", "call_id": message["toolCallId"], "output": message["content"]}
            continue
        if message.get("content"):
            yield {"role": message["role"], "content": message["content"]}
        for call in message.get("toolCalls") or []:
            yield {"type": "function_call", "call_id": call["id"], **call["function"]}


async def events(run):
    ids = {"threadId": run["threadId"], "runId": run["runId"]}
    yield {"type": "RUN_STARTED", **ids}
    tools = [tool_of(tool) for tool in run["tools"]]
    model = os.environ["OPENAI_MODEL"]
    agent = Agent("desk", instructions=INSTRUCTIONS, model=model, tools=tools, tool_use_behavior="stop_on_first_tool")
    text, calls = {"messageId": str(uuid4())}, {}
    async for event in Runner.run_streamed(agent, list(items(run["messages"]))).stream_events():
        data = event.data if event.type == "raw_response_event" else event
        if data.type == "response.output_text.delta":
            yield {"type": "TEXT_MESSAGE_CHUNK", "role": "assistant", **text, "delta": data.delta}
        elif data.type == "response.output_item.added" and data.item.type == "function_call":
            calls[data.output_index] = call = {"toolCallId": data.item.call_id}
            yield {"type": "TOOL_CALL_START", **call, "toolCallName": data.item.name}
        elif data.type == "response.function_call_arguments.delta":
            yield {"type": "TOOL_CALL_ARGS", **calls[data.output_index], "delta": data.delta}
    for call in calls.values():
        yield {"type": "TOOL_CALL_END", **call}
    yield {"type": "RUN_FINISHED", **ids}


async def run(request):
    input = await request.json()
    lines = (f"data: {json.dumps(event)}\n\n" async for event in events(input))
    return StreamingResponse(lines, media_type="text/event-stream")


app = Starlette(routes=[Route("/", run, methods=["POST"])])
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
