"""Microsoft Agent Framework: the tool comes with each request, from the page."""

import os

from agent_framework import Agent
from agent_framework.openai import OpenAIChatCompletionClient
from agent_framework_ag_ui import add_agent_framework_fastapi_endpoint
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."

agent = Agent(
    client=OpenAIChatCompletionClient(model=os.environ["OPENAI_MODEL"]),
    name="desk",
    instructions=INSTRUCTIONS,
    # Two calls of a page's tool in one turn become a stream that no client can read.
    default_options={"allow_multiple_tool_calls": False},
)

app = FastAPI()
# One user, without a login. With several, `authorization_scope_resolver` tells whose conversation a request is of.
add_agent_framework_fastapi_endpoint(app, agent, "/", single_user=True)
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
