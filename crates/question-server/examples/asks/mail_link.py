"""A program that sends an e-mail for each question. Its link opens the question once. Python alone, no packages.

It listens at `/waiting` for `question-server --notify-url https://mail.example/waiting`, and at `/open/…` for the links. These variables set it:

- QUESTION_SERVER_CALLBACK_KEY: the key that signs what the server tells it
- MAIL_URL, its own address as people reach it, such as https://mail.example
- MAIL_FROM and MAIL_TO, and SMTP_HOST and SMTP_PORT (localhost and 25 by default)
- SMTP_USER and SMTP_PASSWORD: with these it starts TLS and signs in
- MAIL_FILE, where it keeps the links, and PORT, 8790 by default
"""

import base64, hashlib, hmac, html, http.server, json, os, secrets, smtplib, sqlite3, time
from email.message import EmailMessage

KEY = base64.b64decode(os.environ["QUESTION_SERVER_CALLBACK_KEY"].removeprefix("whsec_"))
URL, DAYS = os.environ["MAIL_URL"].rstrip("/"), 7


def kept(sql, *values):
    """The links are in a file, which outlives the program: of each only a digest, since whoever has a link may answer."""
    with sqlite3.connect(os.environ.get("MAIL_FILE", "mail_link.sqlite"), timeout=10) as database:
        database.execute("CREATE TABLE IF NOT EXISTS link (digest TEXT PRIMARY KEY, url TEXT, until REAL, told TEXT)")
        found = database.execute(sql, values)
        return found.fetchone() if found.description else found.rowcount


def digest_of(token):
    return hashlib.sha256(token.encode()).hexdigest()


def is_fresh(at):
    return at.isdigit() and abs(time.time() - int(at)) < 300


def is_servers(headers, body):
    """Checks a signature of Standard Webhooks."""
    name, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    mac = hmac.new(KEY, f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
    given = headers.get("webhook-signature", "").encode().split()
    return is_fresh(at) and any(hmac.compare_digest(b"v1," + base64.b64encode(mac), one) for one in given)


def send(told, link):
    mail = EmailMessage()
    mail["From"], mail["To"] = os.environ["MAIL_FROM"], os.environ["MAIL_TO"]
    # A header is one line, whatever the question has.
    mail["Subject"] = " ".join(told["questions"][0]["question"].split())[:150]
    lines = []
    for question in told["questions"]:
        lines += [question["question"], *(f"- {option['label']}" for option in question["options"]), ""]
    lines += ["Answer here; the link opens the question once:", link]
    mail.set_content("\n".join(lines))
    user = os.environ.get("SMTP_USER")
    with smtplib.SMTP(os.environ.get("SMTP_HOST", "localhost"), int(os.environ.get("SMTP_PORT", "25")), timeout=8) as smtp:
        if user:
            smtp.starttls()
            smtp.login(user, os.environ["SMTP_PASSWORD"])
        smtp.send_message(mail)


def waiting(headers, body):
    if not is_servers(headers, body):
        return 401, "not signed by the server"
    name = headers["webhook-id"]
    if kept("SELECT 1 FROM link WHERE told = ?", name):
        return 200, ""  # The server may repeat a notification.
    told, token = json.loads(body), secrets.token_urlsafe(32)
    kept("INSERT INTO link VALUES (?, ?, ?, NULL)", digest_of(token), told["url"], time.time() + DAYS * 86400)
    # If the mail server does not take it, the question server calls again.
    send(told, f"{URL}/open/{token}")
    kept("UPDATE link SET told = ? WHERE digest = ?", name, digest_of(token))
    return 200, ""


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A question for you</title>{}</html>"""
OPEN = '<form method="post"><button>Open the question</button></form>'


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        """Shows a button: programs that look through mail follow links, and would use them up."""
        known = self.link("SELECT url FROM link WHERE digest = ? AND url != '' AND until > ?")
        self.respond(200, OPEN) if known else self.gone()

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 1 << 20))
        if self.path != "/waiting":
            known = self.link("SELECT url FROM link WHERE digest = ? AND url != '' AND until > ?")
            # Of two who press at once, one changes the row.
            is_first = known and self.link("UPDATE link SET url = '' WHERE digest = ? AND url != '' AND until > ?")
            return self.respond(303, "", known[0]) if is_first else self.gone()
        try:
            status, why = waiting(self.headers, body)
        except (LookupError, TypeError, ValueError) as error:
            status, why = 400, f"not understood: {error!r}"
        except OSError as error:
            status, why = 502, str(error)
        self.respond(status, html.escape(why))

    def link(self, sql):
        prefix, _, token = self.path.rpartition("/")
        return prefix == "/open" and kept(sql, digest_of(token), time.time())

    def gone(self):
        self.respond(410, "<p>This link has been used, or is too old. The question may still wait in the page.")

    def respond(self, status, content, location=None):
        page = PAGE.format(content).encode()
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        headers = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
        for name, value in (headers | {"Content-Length": str(len(page))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_):
        """Says nothing: the path of a link is a secret."""


bot = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8790"))), Handler)
print(f"listening on http://127.0.0.1:{bot.server_port}", flush=True)
bot.serve_forever()
