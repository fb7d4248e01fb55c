"""LangChain's `create_agent`: a middleware offers the model the page's tools, which come with each request, and leaves their calls to the page."""

import os

from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from typing_extensions import NotRequired, TypedDict

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."

# The adapter puts here all that a request brings.
Request = TypedDict("Request", {"ag-ui": NotRequired[dict]})


class State(AgentState, Request):
    pass


class PageTools(AgentMiddleware):
    state_schema = State

    async def awrap_model_call(self, request, handler):
        tools = [{"type": "function", "function": tool} for tool in page_tools(request.state)]
        return await handler(request.override(tools=[*request.tools, *tools]))

    async def awrap_tool_call(self, request, handler):
        # The page answers its own. Tools of the agent that are called beside them run.
        return Command() if request.tool_call["name"] in names(request.state) else await handler(request)

    @hook_config(can_jump_to=["end"])
    def before_model(self, state, runtime):
        # A call that waits for the page ends the run; its result comes with the next request.
        waiting = set()
        for message in state["messages"]:
            if isinstance(message, ToolMessage):
                waiting.discard(message.tool_call_id)
            else:
                calls = getattr(message, "tool_calls", [])
                waiting = {call["id"] for call in calls if call["name"] in names(state)}
        return {"jump_to": "end"} if waiting else None


def page_tools(state):
    return state.get("ag-ui", {}).get("tools", [])


def names(state):
    return {tool["name"] for tool in page_tools(state)}


@tool
def opening_hours() -> str:
    """When the workshop is open."""
    return "Monday to Friday, 8 to 17."


graph = create_agent(
    ChatOpenAI(model=os.environ["OPENAI_MODEL"]),
    tools=[opening_hours],
    system_prompt=INSTRUCTIONS,
    middleware=[PageTools()],
    checkpointer=InMemorySaver(),
)

app = FastAPI()
add_langgraph_fastapi_endpoint(app, LangGraphAgent(name="desk", graph=graph, emit_raw_events=False), "/")
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
