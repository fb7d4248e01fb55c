"""LlamaIndex: its protocol makes every parameter of a page's tool a text, so the tool is declared here once more."""

import os

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from llama_index.llms.openai_like import OpenAILike
from llama_index.protocols.ag_ui.router import get_ag_ui_workflow_router
from pydantic import BaseModel

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."


class Option(BaseModel):
    label: str
    description: str | None = None


class Question(BaseModel):
    question: str
    header: str
    multiSelect: bool
    options: list[Option]


def ask_user_question(questions: list[Question]) -> str:
    """Ask the user a question with 2-6 clickable choices. The user can also type an answer."""
    return ""  # The page answers.


model = OpenAILike(
    model=os.environ["OPENAI_MODEL"],
    api_base=os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1"),
    api_key=os.environ["OPENAI_API_KEY"],
    is_chat_model=True,
    is_function_calling_model=True,
)

app = FastAPI()
app.include_router(get_ag_ui_workflow_router(llm=model, frontend_tools=[ask_user_question], system_prompt=INSTRUCTIONS))
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
