/** @jsxImportSource preact */
import type {} from "question-card/preact";

export const card = <question-card class="live" toolCallId="call-1" args={{}} onreply={(event) => event.respondWith(Promise.resolve(event.detail.json))} />;
// @ts-expect-error: there is no such mode
export const other = <question-card mode="sideways" />;
