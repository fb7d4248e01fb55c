"""An MCP server for tests: `fake_mcp.py FOLDER` speaks on stdin and stdout, `fake_mcp.py FOLDER http` over HTTP, for clients with its key."""
import http.server, json, os, sys, threading

FOLDER = sys.argv[1]
os.makedirs(FOLDER, exist_ok=True)
TEXT = {"type": "object", "properties": {"what": {"type": "string"}}}


def note(name, text=""):
    """Tells the test something by a named pipe, which waits for its reader."""
    pipe = os.path.join(FOLDER, name)
    try:
        os.mkfifo(pipe)
    except FileExistsError:
        pass
    with open(pipe, "w") as reader:
        reader.write(text)


def call(name, given):
    if name == "look":
        return {"content": [{"type": "text", "text": f"{given['what']} is there."}]}
    if name == "picture":
        return {"content": [{"type": "text", "text": "See:"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]}
    if name == "fail":
        return {"content": [{"type": "text", "text": "It is closed."}], "isError": True}
    if name == "much":
        return {"content": [{"type": "text", "text": "x" * 9000000}]}
    if name == "wait":
        note("waits")
        note("goes on")
        return {"content": [{"type": "text", "text": "It was worth it."}]}
    if name == "die":
        os._exit(1)


def answer(message):
    method, result = message.get("method"), None
    if method == "notifications/cancelled":
        note("cancelled")
    if "id" not in message or method is None:
        return None
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "fake", "version": "1"}}
    elif method == "tools/list":
        names = ["look", "picture", "fail", "much", "wait", "die", "hang", "ask_user_question"]
        result = {"tools": [{"name": name, "description": f"Does {name}.", "inputSchema": TEXT} for name in names]}
    elif method == "tools/call" and message["params"]["name"] == "hang":
        note("hangs")
        return None
    elif method == "tools/call":
        result = call(message["params"]["name"], message["params"].get("arguments", {}))
    else:
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != "Bearer the key":
            return self.send_error(401)
        answered = answer(message)
        if answered is None and message.get("method") == "tools/call":
            threading.Event().wait()
        body = b"" if answered is None else json.dumps(answered).encode()
        self.send_response(202 if answered is None else 200)
        if body and message.get("method") == "tools/list":
            # The other form that a response may have.
            self.send_header("Content-Type", "text/event-stream")
            body = b"data: " + body + b"\n\n"
        else:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if sys.argv[2:] == ["http"]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    note("port", str(server.server_port))
    server.serve_forever()
else:
    print("A line that is no message.")
    for line in sys.stdin:
        if (answered := answer(json.loads(line))) is not None:
            print(json.dumps(answered), flush=True)
