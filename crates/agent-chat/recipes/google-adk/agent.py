"""Google ADK: the tool comes with each request, from the page, where the toolset stands."""

import os

from ag_ui_adk import ADKAgent, AGUIToolset, add_adk_fastapi_endpoint
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from google.adk.agents import LlmAgent
from google.adk.models.lite_llm import LiteLlm

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."

agent = LlmAgent(
    name="desk",
    model=LiteLlm(model=f"openai/{os.environ['OPENAI_MODEL']}"),  # Or a name, such as "gemini-3-flash".
    instruction=INSTRUCTIONS,
    tools=[AGUIToolset()],
)

app = FastAPI()
add_adk_fastapi_endpoint(app, ADKAgent(adk_agent=agent, app_name="desk", user_id="user"), path="/")
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
