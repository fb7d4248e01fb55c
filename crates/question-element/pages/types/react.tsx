import { QuestionCard } from "question-card/react";

export const card = (
  <question-card
    class="live"
    toolCallId="call-1"
    args={{}}
    status="inProgress"
    onreply={(event) => event.respondWith(Promise.resolve(event.detail.json))}
    onqc-waiting={() => {}}
  />
);
// @ts-expect-error: there is no such mode
export const other = <question-card mode="sideways" />;
declare const part: { input: unknown; id: string };
export const component = (
  <QuestionCard
    toolCallId={part.id}
    args={part.input}
    onReply={({ detail: { json, message } }) => fetch("/", { body: json + message })}
    onDecline={async ({ detail }) => detail.text.length}
    onReplyInChat={({ detail }) => console.log(detail.picks[0]?.selected)}
  />
);
// @ts-expect-error: the element's name for it
export const named = <QuestionCard onreply={() => {}} />;
