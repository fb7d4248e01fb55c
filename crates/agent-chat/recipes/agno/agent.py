"""Agno: the tool comes with each request, from the page. The database keeps runs that wait for an answer."""

import os

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.openai import OpenAIChat
from agno.os import AgentOS
from agno.os.interfaces.agui import AGUI
from fastapi.middleware.cors import CORSMiddleware

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."

agent = Agent(
    name="desk",
    model=OpenAIChat(id=os.environ["OPENAI_MODEL"]),
    instructions=INSTRUCTIONS,
    db=InMemoryDb(),
    add_history_to_context=True,
)

app = AgentOS(agents=[agent], interfaces=[AGUI(agent=agent)]).get_app()
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
