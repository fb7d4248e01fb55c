// The card as a component of React 19.
import { createElement } from "react";
import "./define.js";
import { events } from "./properties.js";

/** The events of the element, by the names that a component has for their handlers: `onReplyInChat` is told of `reply-in-chat`. */
const handlers = new Map(events.map((event) => [`on-${event}`.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()), event]));

/** Calls a handler, and lets the card wait for the promise that it returns. */
const telling = (handler) => (event) => {
  const told = handler?.(event.detail, event);
  if (typeof told?.then === "function") event.respondWith?.(told);
};

/**
 * One call as a card. Another `toolCallId` makes another element. Everything is a property, which can be set twice, as strict mode does; and an
 * element that React takes out of the page ends what it began.
 */
export function QuestionCard(props) {
  const given = { key: props.toolCallId ?? props.call?.id };
  for (const [name, value] of Object.entries(props)) {
    const event = handlers.get(name);
    given[event ? `on${event}` : name] = event ? telling(value) : value;
  }
  return createElement("question-card", given);
}
