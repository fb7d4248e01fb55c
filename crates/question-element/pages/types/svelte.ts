import type {} from "question-card/svelte";
import type { SvelteHTMLElements } from "svelte/elements";

type Props = SvelteHTMLElements["question-card"];
export const props: Props = { mode: "on-pick", onreply: (event) => event.respondWith(Promise.resolve(event.detail.json)) };
// @ts-expect-error: there is no such mode
export const other: Props = { mode: "sideways" };
