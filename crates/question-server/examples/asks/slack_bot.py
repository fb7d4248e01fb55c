"""A Slack bot that passes questions on and takes their answers. Python alone, no packages.

It listens at `/waiting` for `question-server --notify-url https://bot.example/waiting`, and at `/slack` for Slack: that is the Request URL under
"Interactivity" of the app, which has the scope `chat:write`. These variables set it:

- QUESTION_SERVER and perhaps QUESTION_SERVER_TOKEN: where and as whom it answers
- QUESTION_SERVER_CALLBACK_KEY: the key that signs what the server tells it
- SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET and SLACK_CHANNEL
- PORT, 8790 by default
"""

import base64, hashlib, hmac, http.server, json, os, time, urllib.error, urllib.parse, urllib.request

SERVER, SLACK = os.environ["QUESTION_SERVER"], os.environ.get("SLACK_API", "https://slack.com/api")
KEY = base64.b64decode(os.environ["QUESTION_SERVER_CALLBACK_KEY"].removeprefix("whsec_"))
SECRET, CHANNEL = os.environ["SLACK_SIGNING_SECRET"].encode(), os.environ["SLACK_CHANNEL"]
TOLD = set()  # The notifications that it has passed on: the server may repeat one.


def call(url, body=None, token=None):
    headers = {"Content-Type": "application/json; charset=utf-8"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = json.dumps(body).encode() if body is not None else None
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=10) as response:
        return json.loads(response.read() or b"null")


def slack(method, body):
    answer = call(f"{SLACK}/{method}", body, os.environ["SLACK_BOT_TOKEN"])
    if not answer.get("ok"):
        raise OSError(f"Slack refused {method}: {answer.get('error')}")


def is_fresh(at):
    return at.isdigit() and abs(time.time() - int(at)) < 300


def is_servers(headers, body):
    """Checks a signature of Standard Webhooks."""
    name, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    mac = hmac.new(KEY, f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
    given = headers.get("webhook-signature", "").encode().split()
    return is_fresh(at) and any(hmac.compare_digest(b"v1," + base64.b64encode(mac), one) for one in given)


def is_slacks(headers, body):
    at, given = headers.get("X-Slack-Request-Timestamp", ""), headers.get("X-Slack-Signature", "")
    mac = hmac.new(SECRET, f"v0:{at}:".encode() + body, hashlib.sha256).hexdigest()
    return is_fresh(at) and hmac.compare_digest(f"v0={mac}".encode(), given.encode())


def plain(text, most):
    """A text in which nothing is read as markup, no longer than Slack takes it."""
    return {"type": "plain_text", "text": text if len(text) <= most else text[: most - 1] + "…"}


def blocks_of(told):
    """One question with a single choice gets a button for each option; all others are answered in the page."""
    questions = told["questions"]
    shown = [{"type": "section", "text": plain(one["question"], 3000)} for one in questions[:10]]
    options = questions[0]["options"] if len(questions) == 1 and not questions[0].get("multiSelect") else []
    ask = {"c": told["conversationId"], "t": told["toolCallId"]}
    buttons = [
        {"type": "button", "action_id": f"option-{i}", "text": plain(option["label"], 75), "value": json.dumps(ask | {"o": i})}
        for i, option in enumerate(options[:24])
    ]
    buttons.append({"type": "button", "action_id": "page", "text": plain("Open the page", 75), "url": told["url"]})
    return shown + [{"type": "actions", "elements": buttons}]


def waiting(headers, body):
    if not is_servers(headers, body):
        return 401, "not signed by the server"
    if headers["webhook-id"] not in TOLD:
        told = json.loads(body)
        text = told["questions"][0]["question"].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        # If Slack does not take it, the server calls again.
        slack("chat.postMessage", {"channel": CHANNEL, "text": text[:3000], "blocks": blocks_of(told)})
        TOLD.add(headers["webhook-id"])
    return 200, ""


def over(path, ask, token):
    """How a question ended, whoever has answered it."""
    ended = call(f"{SERVER}{path}/asks/{urllib.parse.quote(ask, '')}", token=token)
    answers = "".join(f"{question}\n{answer}\n" for question, answer in ended.get("answers", {}).items())
    return f"{answers}{ended.get('outcome', 'waiting')} by {ended.get('answeredBy') or ended.get('via', 'nobody')}"


def answer(pressed, user):
    """Answers, and returns what the message says then."""
    token, path = os.environ.get("QUESTION_SERVER_TOKEN"), "/conversations/" + urllib.parse.quote(pressed["c"], "")
    try:
        pending = [one for one in call(SERVER + path, token=token)["pending"] if one["toolCallId"] == pressed["t"]]
        if not pending:
            return over(path, pressed["t"], token)
        question = pending[0]["questions"][0]
        label = question["options"][pressed["o"]]["label"]
        # The same press again is the same reply.
        reply = {"replyId": hashlib.sha256(json.dumps([pressed, user]).encode()).hexdigest()}
        reply |= {"answers": {question["question"]: label}, "toolCallId": pressed["t"], "via": "slack", "answeredBy": user}
        call(f"{SERVER}{path}/respond", reply, token)
    except urllib.error.HTTPError as error:
        if error.code != 409:
            raise
    return over(path, pressed["t"], token)


def interact(headers, body):
    if not is_slacks(headers, body):
        return 401, "not signed by Slack"
    payload = json.loads(urllib.parse.parse_qs(body.decode())["payload"][0])
    actions = payload.get("actions", []) if payload["type"] == "block_actions" else []
    for action in actions:
        if "value" not in action:
            continue  # The link to the page.
        user = f"{payload['user'].get('username', '?')} ({payload['user']['id']})"[:100]
        try:
            text = answer(json.loads(action["value"]), user)
        except OSError as error:
            # The buttons stay, and the person hears why.
            call(payload["response_url"], {"replace_original": False, "text": f"The answer did not arrive ({error}). Please press again."})
            continue
        message = {"channel": payload["channel"]["id"], "ts": payload["message"]["ts"], "text": text[:3000]}
        slack("chat.update", message | {"blocks": [{"type": "section", "text": plain(text, 3000)}]})
    return 200, ""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 1 << 20))
        try:
            route = {"/waiting": waiting, "/slack": interact}.get(self.path, lambda headers, body: (404, "nothing here"))
            status, why = route(self.headers, body)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            status, why = 400, f"not understood: {error!r}"
        except OSError as error:
            status, why = 502, str(error)
        self.send_response(status)
        self.send_header("Content-Length", str(len(why.encode())))
        self.end_headers()
        self.wfile.write(why.encode())


bot = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8790"))), Handler)
print(f"listening on http://127.0.0.1:{bot.server_port}", flush=True)
bot.serve_forever()
