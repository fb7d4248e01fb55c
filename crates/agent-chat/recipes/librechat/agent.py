"""A graph that asks as LibreChat's do: people see labels, and the graph goes on with the values behind them, by the ids of the questions."""

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
DECLINED = "User cancelled the question. This is no answer and no consent."


class Option(TypedDict):
    label: str
    description: NotRequired[str]


class Question(TypedDict):
    question: str
    header: str
    multiSelect: bool
    options: list[Option]


def with_values(at: int, question: Question) -> dict:
    """The question with an id and a value behind each label. A value may be whatever your program calls it."""
    options = [{**option, "value": option["label"].lower().replace(" ", "-")} for option in question["options"]]
    return {"id": f"question-{at}", **question, "options": options}


@tool
def ask_user_question(questions: list[Question]) -> str:
    """Ask the user a question with 2-6 clickable choices. The user can also type an answer."""
    asked = [with_values(at, question) for at, question in enumerate(questions)]
    payload = interrupt({"type": "ask_user_question", "question": asked[0], "questions": asked})
    answers = payload.get("answers")
    if not answers:
        return DECLINED
    # What the model reads are its own labels, or what was typed instead of them.
    labels = {option["value"]: option["label"] for question in asked for option in question["options"]}
    return "; ".join(", ".join(labels.get(value, value) for value in answer.split(", ")) for answer in answers.values())


graph = create_agent(
    ChatOpenAI(model=os.environ["OPENAI_MODEL"]),
    tools=[ask_user_question],
    system_prompt=INSTRUCTIONS,
    checkpointer=InMemorySaver(),
)


class Desk(LangGraphAgent):
    """Says whose each answer is, without which LangGraph takes no two at once."""

    def _build_command_from_agui_resume(self, entries, **_):
        return Command(resume={entry.interrupt_id: entry.payload or {"declined": True} for entry in entries})


app = FastAPI()
add_langgraph_fastapi_endpoint(app, Desk(name="desk", graph=graph, emit_raw_events=False, emit_interrupt_outcome=True), "/")
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
