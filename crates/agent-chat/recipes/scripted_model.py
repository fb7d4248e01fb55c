"""A model that costs nothing: a script behind OpenAI's chat completions and Anthropic's messages, as strict about a conversation as they are.

    python3 scripted_model.py COMMAND…

runs COMMAND with OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL, ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY set to the script, and ends with it. The script books a car in: it asks
which service is needed, then how soon. Say "both at once", and it asks both in one turn. It needs Python 3.9 and nothing else.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread

TOOL = "ask_user_question"
SERVICE = {
    "question": "Which service do you need?",
    "header": "Service",
    "multiSelect": False,
    "options": [
        {"label": "Brake service", "description": "About two hours"},
        {"label": "Oil change", "description": "Half an hour"},
        {"label": "New tyres"},
    ],
}
SPEED = {
    "question": "How soon do you need it?",
    "header": "Speed",
    "multiSelect": False,
    "options": [{"label": "Standard"}, {"label": "Rush", "description": "Today, for a surcharge"}],
}
NUMBERS = count(1)
PACE = 0.02  # Seconds between two pieces, of which a question has about twenty.


class Refused(Exception):
    """What OpenAI answers with 400."""


def turn(messages, tools):
    """The text and the calls that follow these messages."""
    check(messages)
    begin = beginning(messages)
    results = [picked(text_of(message)) for message in messages[begin:] if is_result(message)]
    if any(result is None for result in results):
        return "Nothing is booked.", []
    if TOOL not in tools:
        return f"I was offered no tool {TOOL}, so I can't ask.", []
    if len(results) >= 2:
        return f"Booked: {', '.join(results)}.", []
    if results:
        return f"{results[0]} it is.", [SPEED]
    if "both at once" in text_of(messages[begin]):
        return "I need to know two things.", [SERVICE, SPEED]
    return "I need to know one thing.", [SERVICE]


def beginning(messages):
    """Where the user began the present matter. What the user says right behind results repeats what was picked."""
    begin, behind_result = 0, False
    for at, message in enumerate(messages):
        if is_result(message):
            behind_result = True
        elif message["role"] == "assistant":
            behind_result = False
        elif message["role"] == "user" and not behind_result:
            begin = at
    return begin


def is_result(message):
    """Whether this is the result of a call. LlamaIndex tells it as the user's words."""
    return bool(message.get("tool_call_id"))


def picked(result):
    """The label in a result, or nothing if the user did not answer."""
    try:
        value = json.loads(result)
        value = json.loads(value) if isinstance(value, str) else value
        return ", ".join(value["answers"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        return None if "cancel" in result.lower() else result


def check(messages):
    """Refuses what OpenAI refuses."""
    waiting = set()
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                raise Refused(f"messages[{at}]: a tool message must answer a preceding message with 'tool_calls'.")
            waiting.remove(message["tool_call_id"])
        elif waiting:
            raise Refused(f"messages[{at}]: an assistant message with 'tool_calls' must be followed by tool messages.")
        for call in message.get("tool_calls") or []:
            try:
                json.loads(call["function"]["arguments"])
            except ValueError:
                raise Refused(f"messages[{at}]: the arguments of a call are no JSON.") from None
            waiting.add(call["id"])
    if waiting:
        raise Refused("an assistant message with 'tool_calls' must be followed by tool messages.")


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def call(ask):
    function = {"name": TOOL, "arguments": json.dumps({"questions": [ask]})}
    return {"id": f"call_{next(NUMBERS)}", "type": "function", "function": function}


def deltas(text, calls):
    """The answer in pieces, as OpenAI streams it."""
    yield {"role": "assistant", "content": ""}
    for word in text.split(" "):
        yield {"content": word + " "}
    for index, call in enumerate(calls):
        arguments = call["function"]["arguments"]
        yield {"tool_calls": [{**call, "index": index, "function": {"name": TOOL, "arguments": ""}}]}
        for at in range(0, len(arguments), 12):
            yield {"tool_calls": [{"index": index, "function": {"arguments": arguments[at : at + 12]}}]}


def of_anthropic(message):
    """A message of Anthropic's as one or more of OpenAI's."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks:
        if block["type"] == "tool_result":
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": text_of(block)}
    function = lambda block: {"name": TOOL, "arguments": json.dumps(block["input"])}
    calls = [{"id": block["id"], "function": function(block)} for block in blocks if block["type"] == "tool_use"]
    # Text that the harness adds for the model is not the user's.
    texts = [block["text"] for block in blocks if block["type"] == "text" and not block["text"].startswith("<system")]
    if texts or calls:
        yield {"role": message["role"], "content": " ".join(texts), **({"tool_calls": calls} if calls else {})}


def events_of_anthropic(model, text, calls, tool):
    """The answer in pieces, as Anthropic streams it."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": f"msg_{next(NUMBERS)}", "type": "message", "role": "assistant", "model": model, "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    blocks = [({"type": "text", "text": ""}, "text_delta", "text", [f"{word} " for word in text.split(" ")])]
    for call in calls:
        arguments = call["function"]["arguments"]
        pieces = [arguments[at : at + 12] for at in range(0, len(arguments), 12)]
        start = {"type": "tool_use", "id": call["id"], "name": tool, "input": {}}
        blocks.append((start, "input_json_delta", "partial_json", pieces))
    for index, (start, kind, name, pieces) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for piece in pieces:
            yield {"type": "content_block_delta", "index": index, "delta": {"type": kind, name: piece}}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if calls else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "/messages" in self.path:
            return self.as_anthropic(request)
        try:
            tools = [tool["function"]["name"] for tool in request.get("tools") or []]
            text, asks = turn(request["messages"], tools)
            asks = asks[:1] if request.get("parallel_tool_calls") is False else asks
        except Refused as refused:
            print(f"scripted model: {refused}", file=sys.stderr)
            return self.answer(400, {"error": {"message": str(refused), "type": "invalid_request_error"}})
        head = {"id": "chatcmpl-1", "created": 1, "model": request["model"]}
        calls = [call(ask) for ask in asks]
        reason = "tool_calls" if calls else "stop"
        if not request.get("stream"):
            message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return self.answer(200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        self.begin_stream()
        for delta, reason in [*((delta, None) for delta in deltas(text, calls)), ({}, reason)]:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            chunk = {**head, "object": "chat.completion.chunk", "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()
            time.sleep(PACE)
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def as_anthropic(self, request):
        if "count_tokens" in self.path:
            return self.answer(200, {"input_tokens": 1})
        messages = [one for message in request["messages"] for one in of_anthropic(message)]
        # Tools of a page come under a longer name.
        tools = [tool["name"] for tool in request.get("tools") or [] if tool["name"].endswith(TOOL)]
        try:
            text, asks = turn(messages, [TOOL] if tools else [])
        except Refused as refused:
            print(f"scripted model: {refused}", file=sys.stderr)
            error = {"type": "invalid_request_error", "message": str(refused)}
            return self.answer(400, {"type": "error", "error": error})
        self.begin_stream()
        for event in events_of_anthropic(request["model"], text, [call(ask) for ask in asks], *tools[:1] or [TOOL]):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
            time.sleep(PACE)
        self.close_connection = True

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    endpoint = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    Thread(target=endpoint.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{endpoint.server_port}"
    model = {"OPENAI_BASE_URL": f"{base}/v1", "OPENAI_API_KEY": "scripted", "OPENAI_MODEL": "scripted"}
    model |= {"ANTHROPIC_BASE_URL": base, "ANTHROPIC_API_KEY": "scripted"}
    # A session of its own, so that what the command starts ends with it.
    command = subprocess.Popen(sys.argv[1:], env={**os.environ, **model}, start_new_session=True)

    def end(number, _):
        os.killpg(command.pid, number)
        signal.alarm(3)

    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, end)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(command.pid, signal.SIGKILL))
    ended = command.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(command.pid, signal.SIGTERM)
    sys.exit(ended if ended >= 0 else 128 - ended)
