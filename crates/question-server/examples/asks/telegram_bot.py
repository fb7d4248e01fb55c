"""A Telegram bot that passes questions on to one chat and takes their answers. Python alone, no packages.

It listens at `/waiting` for `question-server --notify-url https://bot.example/waiting`, and at `/telegram` for Telegram:

    curl "https://api.telegram.org/bot$TELEGRAM_TOKEN/setWebhook" -d url=https://bot.example/telegram -d secret_token=$TELEGRAM_SECRET

These variables set it:

- QUESTION_SERVER and perhaps QUESTION_SERVER_TOKEN: where and as whom it answers
- QUESTION_SERVER_CALLBACK_KEY: the key that signs what the server tells it
- TELEGRAM_TOKEN, TELEGRAM_SECRET and TELEGRAM_CHAT, the number of the chat
- BOT_FILE, where it keeps which button belongs to which question, and PORT, 8790 by default
"""

import base64, hashlib, hmac, http.server, json, os, sqlite3, time, urllib.error, urllib.parse, urllib.request

SERVER, API = os.environ["QUESTION_SERVER"], os.environ.get("TELEGRAM_API", "https://api.telegram.org")
KEY = base64.b64decode(os.environ["QUESTION_SERVER_CALLBACK_KEY"].removeprefix("whsec_"))
SECRET, CHAT = os.environ["TELEGRAM_SECRET"].encode(), int(os.environ["TELEGRAM_CHAT"])


def kept(sql, *values):
    """The data of a button has 64 bytes, so the rest is in a file, which outlives the bot."""
    with sqlite3.connect(os.environ.get("BOT_FILE", "telegram_bot.sqlite"), timeout=10) as database:
        database.execute("CREATE TABLE IF NOT EXISTS ask (key TEXT PRIMARY KEY, conversation TEXT, call TEXT, sent INTEGER)")
        return database.execute(sql, values).fetchone()


def call(url, body=None, token=None):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = json.dumps(body).encode() if body is not None else None
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=10) as response:
        return json.loads(response.read() or b"null")


def telegram(method, body):
    answer = call(f"{API}/bot{os.environ['TELEGRAM_TOKEN']}/{method}", body)
    if not answer.get("ok"):
        raise OSError(f"Telegram refused {method}: {answer.get('description')}")


def is_fresh(at):
    return at.isdigit() and abs(time.time() - int(at)) < 300


def is_servers(headers, body):
    """Checks a signature of Standard Webhooks."""
    name, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    mac = hmac.new(KEY, f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
    given = headers.get("webhook-signature", "").encode().split()
    return is_fresh(at) and any(hmac.compare_digest(b"v1," + base64.b64encode(mac), one) for one in given)


def waiting(headers, body):
    if not is_servers(headers, body):
        return 401, "not signed by the server"
    # The same notification again has the same key.
    key = hashlib.sha256(headers["webhook-id"].encode()).hexdigest()[:32]
    if kept("SELECT 1 FROM ask WHERE key = ? AND sent", key):
        return 200, ""
    told = json.loads(body)
    questions = told["questions"]
    # One question with a single choice gets a button for each option; all others are answered in the page.
    options = questions[0]["options"] if len(questions) == 1 and not questions[0].get("multiSelect") else []
    rows = [[{"text": option["label"][:100], "callback_data": f"{key}:{i}"}] for i, option in enumerate(options[:50])]
    rows.append([{"text": "Open the page", "url": told["url"]}])
    text = "\n\n".join(one["question"] for one in questions)[:4096]
    kept("INSERT OR IGNORE INTO ask VALUES (?, ?, ?, 0)", key, told["conversationId"], told["toolCallId"])
    # If Telegram does not take it, the server calls again.
    telegram("sendMessage", {"chat_id": CHAT, "text": text, "reply_markup": {"inline_keyboard": rows}})
    kept("UPDATE ask SET sent = 1 WHERE key = ?", key)
    return 200, ""


def over(path, ask, token):
    """How a question ended, whoever has answered it."""
    ended = call(f"{SERVER}{path}/asks/{urllib.parse.quote(ask, '')}", token=token)
    answers = "".join(f"{question}\n{answer}\n" for question, answer in ended.get("answers", {}).items())
    return f"{answers}{ended.get('outcome', 'waiting')} by {ended.get('answeredBy') or ended.get('via', 'nobody')}"


def answer(conversation, ask, option, tap, user):
    """Answers, and returns what the message says then."""
    token, path = os.environ.get("QUESTION_SERVER_TOKEN"), "/conversations/" + urllib.parse.quote(conversation, "")
    pending = [one for one in call(SERVER + path, token=token)["pending"] if one["toolCallId"] == ask]
    if pending:
        question = pending[0]["questions"][0]
        reply = {"answers": {question["question"]: question["options"][option]["label"]}, "toolCallId": ask}
        try:
            # The same tap again is the same reply.
            call(f"{SERVER}{path}/respond", reply | {"replyId": f"telegram-{tap}", "via": "telegram", "answeredBy": user}, token)
        except urllib.error.HTTPError as error:
            if error.code != 409:
                raise
    return over(path, ask, token)


def tapped(headers, body):
    if not hmac.compare_digest(SECRET, headers.get("X-Telegram-Bot-Api-Secret-Token", "").encode()):
        return 401, "not sent by Telegram"
    tap = json.loads(body).get("callback_query")
    if tap is None or tap.get("message", {}).get("chat", {}).get("id") != CHAT:
        return 200, ""  # Another update, or another chat. Telegram would send it again and again after an error.
    key, _, option = tap.get("data", "").partition(":")
    known = kept("SELECT conversation, call FROM ask WHERE key = ?", key)
    if known is None or not option.isdecimal():
        telegram("answerCallbackQuery", {"callback_query_id": tap["id"], "text": "This bot does not know the question any more."})
        return 200, ""
    user = f"{tap['from'].get('username') or tap['from']['first_name']} ({tap['from']['id']})"[:100]
    try:
        text = answer(*known, int(option), tap["id"], user)
    except (OSError, LookupError) as error:
        # The buttons stay, and the person hears why.
        why = f"The answer did not arrive ({error}). Please tap again."[:200]
        telegram("answerCallbackQuery", {"callback_query_id": tap["id"], "show_alert": True, "text": why})
        return 200, ""
    telegram("editMessageText", {"chat_id": CHAT, "message_id": tap["message"]["message_id"], "text": text[:4096]})
    telegram("answerCallbackQuery", {"callback_query_id": tap["id"]})
    return 200, ""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 1 << 20))
        try:
            route = {"/waiting": waiting, "/telegram": tapped}.get(self.path, lambda headers, body: (404, "nothing here"))
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
