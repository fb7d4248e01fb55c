"""LangChain's middleware for people in the loop: its decision `respond` is the tool's result."""

import os

from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from typing_extensions import NotRequired, TypedDict

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."


class Option(TypedDict):
    label: str
    description: NotRequired[str]


class Question(TypedDict):
    question: str
    header: str
    multiSelect: bool
    options: list[Option]


@tool
def ask_user_question(questions: list[Question]) -> str:
    """Ask the user a question with 2-6 clickable choices. The user can also type an answer."""
    raise RuntimeError("the middleware answers it")


graph = create_agent(
    ChatOpenAI(model=os.environ["OPENAI_MODEL"]),
    tools=[ask_user_question],
    system_prompt=INSTRUCTIONS,
    middleware=[HumanInTheLoopMiddleware({"ask_user_question": {"allowed_decisions": ["respond"]}})],
    checkpointer=InMemorySaver(),
)

app = FastAPI()
agent = LangGraphAgent(name="desk", graph=graph, emit_raw_events=False, emit_interrupt_outcome=True)
add_langgraph_fastapi_endpoint(app, agent, "/")
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
