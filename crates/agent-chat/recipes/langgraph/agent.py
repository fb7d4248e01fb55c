"""LangGraph: the tool comes with each request, from the page, in the graph's state."""

import os

from ag_ui_langgraph import LangGraphAgent, add_langgraph_fastapi_endpoint
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."

model = ChatOpenAI(model=os.environ["OPENAI_MODEL"])


class State(MessagesState):
    tools: list


async def chat(state: State):
    tools = [{"type": "function", "function": tool} for tool in map(definition, state["tools"])]
    answer = await model.bind_tools(tools).ainvoke([("system", INSTRUCTIONS), *state["messages"]])
    return {"messages": [answer]}


def definition(tool):
    return tool.get("function", tool) if isinstance(tool, dict) else tool.model_dump()


# A call of the page's tool ends the graph; its result comes with the next request.
graph = StateGraph(State).add_node(chat).add_edge(START, "chat").compile(checkpointer=InMemorySaver())

app = FastAPI()
add_langgraph_fastapi_endpoint(app, LangGraphAgent(name="desk", graph=graph, emit_raw_events=False), "/")
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
