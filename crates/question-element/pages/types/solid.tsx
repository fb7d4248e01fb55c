/** @jsxImportSource solid-js */
import type {} from "question-card/solid";

export const card = <question-card class="live" tool-call-id="call-1" prop:args={{}} on:reply={(event) => event.respondWith(Promise.resolve(event.detail.json))} />;
// @ts-expect-error: there is no such mode
export const other = <question-card prop:mode="sideways" />;
