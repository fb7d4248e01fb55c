"""CrewAI: the tool comes with each request, from the page, in the flow's state."""

import os

from ag_ui_crewai import CopilotKitState, add_crewai_flow_fastapi_endpoint, copilotkit_stream
from crewai.flow.flow import Flow, start
from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from litellm import acompletion

INSTRUCTIONS = "You take bookings for a car workshop. What you must know, ask with ask_user_question, never in plain text."


class Desk(Flow[CopilotKitState]):
    @start()
    async def chat(self):
        response = await copilotkit_stream(
            await acompletion(
                model=f"openai/{os.environ['OPENAI_MODEL']}",
                messages=[{"role": "system", "content": INSTRUCTIONS}, *self.state.messages],
                tools=self.state.copilotkit.actions,
                parallel_tool_calls=True,
                stream=True,
            )
        )
        self.state.messages.append(response.choices[0].message)


app = FastAPI()
add_crewai_flow_fastapi_endpoint(app, Desk(), "/")
# Pages of this machine are let in; the origin of yours belongs here.
pages = r"http://(127\.0\.0\.1|localhost):\d+"
app.add_middleware(CORSMiddleware, allow_origin_regex=pages, allow_methods=["POST"], allow_headers=["content-type"])
