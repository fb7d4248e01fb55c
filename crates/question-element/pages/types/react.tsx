import type {} from "question-card/react";

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
