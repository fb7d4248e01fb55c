import type {} from "question-card/vue";
import type { GlobalComponents } from "vue";

type Props = InstanceType<GlobalComponents["question-card"]>["$props"];
export const props: Props = { mode: "on-pick", onReply: (event) => event.respondWith(Promise.resolve(event.detail.json)) };
// @ts-expect-error: there is no such mode
export const other: Props = { mode: "sideways" };
