"""LangGraph with a tool of its own that asks by `interrupt()`, and goes on where it stopped."""

import os

from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
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
    return interrupt({"questions": questions})


graph = create_agent(
    ChatOpenAI(model=os.environ["OPENAI_MODEL"]),
    tools=[ask_user_question],
    system_prompt=INSTRUCTIONS,
    checkpointer=InMemorySaver(),
)


class Desk(LangGraphAgent):
    """Says whose each answer is, without which LangGraph takes no two at once."""

    def _build_command_from_agui_resume(self, entries, **_):
        declined = "User cancelled the question. This is no answer and no consent."
        return Command(resume={entry.interrupt_id: entry.payload or declined for entry in entries})


app = FastAPI()
add_langgraph_fastapi_endpoint(app, Desk(name="desk", graph=graph, emit_raw_events=False, emit_interrupt_outcome=True), "/")
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
