"""Claude Agent SDK: the tool comes with each request, from the page."""

from ag_ui_claude_sdk import ClaudeAgentAdapter, add_claude_fastapi_endpoint
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."

app = FastAPI()
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
adapter = ClaudeAgentAdapter(name="booking", options={"model": "claude-haiku-4-5", "system_prompt": INSTRUCTIONS})
add_claude_fastapi_endpoint(app=app, adapter=adapter, path="/")
