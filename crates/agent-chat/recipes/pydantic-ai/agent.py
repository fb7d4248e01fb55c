"""pydantic-ai: the tool comes with each request, from the page."""

import os

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."

agent = Agent(OpenAIChatModel(os.environ["OPENAI_MODEL"]), instructions=INSTRUCTIONS)


async def run(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)


app = Starlette(routes=[Route("/", run, methods=["POST"])])
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
