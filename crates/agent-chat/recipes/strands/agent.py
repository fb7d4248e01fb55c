"""AWS Strands: the tool comes with each request, from the page."""

import os

from ag_ui_strands import StrandsAgent, add_strands_fastapi_endpoint
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from strands import Agent
from strands.models.openai import OpenAIModel

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."

client = {"api_key": os.environ["OPENAI_API_KEY"], "base_url": os.environ.get("OPENAI_BASE_URL")}
agent = Agent(model=OpenAIModel(client_args=client, model_id=os.environ["OPENAI_MODEL"]), system_prompt=INSTRUCTIONS)

app = FastAPI()
add_strands_fastapi_endpoint(app, StrandsAgent(agent=agent, name="desk"), "/")
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
