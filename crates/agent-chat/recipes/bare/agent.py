"""No framework: AG-UI by hand, with Python alone. The model is any endpoint that has OpenAI's chat completions."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen
from uuid import uuid4

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."


def for_model(message):
    """A message of AG-UI as OpenAI writes it. A card's answer is a message with the role `tool`."""
    names = {"role": "role", "content": "content", "toolCalls": "tool_calls", "toolCallId": "tool_call_id"}
    return {names[name]: value for name, value in message.items() if name in names}


def events(run):
    """What happens in a run. The page sends threadId, runId, messages and tools, among them ask_user_question."""
    ids = {"threadId": run["threadId"], "runId": run["runId"]}
    yield {"type": "RUN_STARTED", **ids}
    messages = [{"role": "system", "content": INSTRUCTIONS}, *map(for_model, run["messages"])]
    tools = [{"type": "function", "function": tool} for tool in run["tools"]]
    body = {"model": os.environ["OPENAI_MODEL"], "stream": True, "messages": messages, "tools": tools}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    text, calls = {"messageId": str(uuid4())}, {}
    for line in urlopen(Request(url, json.dumps(body).encode(), headers)):
        choices = json.loads(line[6:])["choices"] if line.startswith(b"data: {") else []
        for delta in [choice["delta"] for choice in choices]:
            if delta.get("content"):
                yield {"type": "TEXT_MESSAGE_CHUNK", "role": "assistant", **text, "delta": delta["content"]}
            for part in delta.get("tool_calls") or []:
                if part.get("id"):
                    calls[part["index"]] = call = {"toolCallId": part["id"]}
                    yield {"type": "TOOL_CALL_START", **call, "toolCallName": part["function"]["name"]}
                yield {"type": "TOOL_CALL_ARGS", **calls[part["index"]], "delta": part["function"]["arguments"]}
    for call in calls.values():
        yield {"type": "TOOL_CALL_END", **call}
    yield {"type": "RUN_FINISHED", **ids}  # without a result: the card waits for its user


class Agent(BaseHTTPRequestHandler):
    def do_POST(self):
        run = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.begin({"Content-Type": "text/event-stream"})
        for event in events(run):
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())

    def do_OPTIONS(self):
        self.begin({"Access-Control-Allow-Headers": "content-type"})

    def begin(self, headers):
        # Any page is let in; name the origin of yours instead.
        self.send_response(200)
        for name, value in {"Access-Control-Allow-Origin": "*", **headers}.items():
            self.send_header(name, value)
        self.end_headers()


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Agent)
print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
