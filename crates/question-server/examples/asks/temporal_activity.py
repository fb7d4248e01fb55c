"""A Temporal activity that asks a person. `pip install temporalio`; QUESTION_SERVER and QUESTION_SERVER_TOKEN say where and as whom.

A worker that dies is no problem: Temporal runs the activity again, and the same id asks nothing a second time. In a workflow:

    answer = await workflow.execute_activity(
        ask_person,
        Question("Refund 300 euros?", ["Yes", "No"]),
        start_to_close_timeout=timedelta(days=7),
        heartbeat_timeout=timedelta(minutes=2),
    )
"""

import asyncio, hashlib, json, os, urllib.error, urllib.request
from dataclasses import dataclass

from temporalio import activity
from temporalio.exceptions import ApplicationError


@dataclass
class Question:
    question: str
    options: list[str]


def call(path, body=None):
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["QUESTION_SERVER_TOKEN"]}
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(os.environ["QUESTION_SERVER"] + path, data, headers)
    return json.load(urllib.request.urlopen(request, timeout=90))


@activity.defn
async def ask_person(asked: Question) -> str:
    info = activity.info()
    name = f"{info.workflow_id} {info.workflow_run_id} {info.activity_id} {os.environ['QUESTION_SERVER_TOKEN']}"
    conversation = "/conversations/" + hashlib.sha256(name.encode()).hexdigest()
    options = [{"label": option} for option in asked.options]
    body = {"id": "ask", "questions": [{"question": asked.question, "options": options}]}
    try:
        await asyncio.to_thread(call, f"{conversation}/asks", body)
    except urllib.error.HTTPError as error:
        # 400 is a question that cannot be asked, and no retry makes it better.
        raise ApplicationError(error.read().decode(), non_retryable=error.code == 400) from error
    try:
        while "outcome" not in (ask := await asyncio.to_thread(call, f"{conversation}/asks/ask?wait=30")):
            activity.heartbeat()
    except asyncio.CancelledError:
        # The workflow no longer wants to know: the question goes from the person's page.
        call(f"{conversation}/cancel", {"toolCallId": "ask"})
        raise
    if ask["outcome"] != "answered":
        raise ApplicationError(ask["outcome"], non_retryable=True)
    return ask["answers"][asked.question]
