"""Claude's own `AskUserQuestion` by `can_use_tool`, without AG-UI: the question waits in a `question-server`, where any page of it shows the card."""

import asyncio, json, urllib.request, uuid

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny

SERVER = "http://127.0.0.1:8787"
NO_ANSWER = {
    "declined": "User cancelled the question. This is no answer and no consent.",
    "expired": "The question expired: the user did not answer in time. This is no answer and no consent.",
}
OTHERWISE = "The user did not answer the question. This is no answer and no consent."


def call(path, body=None):
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(SERVER + path, data, {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))


async def ask(questions, conversation):
    asked = await asyncio.to_thread(call, f"/conversations/{conversation}/asks", {"questions": questions})
    place = f"/conversations/{conversation}/asks/{asked['toolCallId']}?wait=30"
    while "outcome" not in (status := await asyncio.to_thread(call, place)):
        pass
    return status


def quoted(label):
    """Labels are joined by commas, so one that has a comma of its own is written as JSON."""
    return json.dumps(label, ensure_ascii=False) if ", " in label or '"' in label else label


def answered(questions, status):
    """Answers and annotations by the question's text, as Claude has them."""
    answers, annotations = dict(status.get("answers", {})), {}
    for detail in status.get("details", []):
        question = questions[detail["index"]]
        text, note = question["question"], detail.get("note")
        labels = [picked["label"] for picked in detail["selected"]]
        parts = labels + [detail["other"]] if detail.get("other") else labels
        if detail["status"] == "skipped":
            answers.pop(text, None)
            chatted = status["outcome"] == "replied_in_chat"
            annotations[text] = {"unanswered": "replied_in_chat" if chatted else "skipped"}
        elif parts:
            answers[text] = ", ".join(map(quoted, parts)) if question.get("multiSelect") else parts[-1]
        if note:
            annotations.setdefault(text, {})["notes"] = note
    return answers, annotations


async def can_use_tool(tool, tool_input, context, conversation=None):
    """To be given to `ClaudeAgentOptions`. Its `response` stays empty: beside it, Claude reads no answers."""
    if tool != "AskUserQuestion":
        return PermissionResultDeny(message=f"{tool} is not allowed here")
    questions = tool_input["questions"]
    status = await ask(questions, conversation or f"claude-{uuid.uuid4().hex}")
    answers, annotations = answered(questions, status)
    if answers:
        return PermissionResultAllow(updated_input={**tool_input, "answers": answers, "annotations": annotations})
    if status["outcome"] == "replied_in_chat":
        return PermissionResultDeny(message=f"The user wrote this instead of answering: {status['text']}")
    return PermissionResultDeny(message=NO_ANSWER.get(status["outcome"], OTHERWISE))
