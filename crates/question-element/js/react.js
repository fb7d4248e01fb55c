"use client";
// The card as a component of React 19.
import { createElement, useImperativeHandle, useLayoutEffect, useRef } from "react";
import "./define.js";
import { events, properties } from "./properties.js";

/** The events of the element, by the names that a component has for their handlers: `onReplyInChat` is told of `reply-in-chat`. */
const handlers = events.map((event) => [`on-${event}`.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()), event]);

/** All that the element is told as a property. Other props are attributes. */
const settable = [...Object.keys(properties), "args", "call", "result", "changed"];
const own = new Set([...settable, ...handlers.map(([name]) => name)]);

/**
 * One call as a card. Another `toolCallId` makes another element. Everything is a property, which can be set twice, as strict mode does; and an
 * element that React takes out of the page ends what it began.
 */
export const QuestionCard = (props) => createElement(Card, { ...props, key: props.toolCallId ?? props.call?.id });

/**
 * The element of one call. An effect sets its properties and listens to it: on an element that a server has written, React does neither
 * (facebook/react#35446).
 */
function Card({ ref, ...props }) {
  const element = useRef(null);
  const given = useRef({});
  useImperativeHandle(ref, () => element.current);
  useLayoutEffect(() => {
    for (const name of settable) if (!Object.is(props[name], given.current[name])) element.current[name] = props[name];
    given.current = props;
  });
  useLayoutEffect(() => {
    const listening = new AbortController();
    for (const [name, event] of handlers) element.current.addEventListener(event, (it) => tell(given.current[name], it), listening);
    return () => listening.abort();
  }, []);
  const rest = Object.fromEntries(Object.entries(props).filter(([name]) => !own.has(name)));
  return createElement("question-card", { ...rest, ref: element });
}

/** Calls a handler, and lets the card wait for the promise that it returns. A late text is taken by any handler that does not return false. */
function tell(handler, event) {
  if (!handler) return;
  const respondWith = event.respondWith;
  let isTaken = !respondWith;
  if (respondWith) event.respondWith = (promise) => (respondWith(promise), void (isTaken = true));
  const told = handler(event);
  const isPromise = typeof told?.then === "function";
  if (!isTaken && (isPromise || (event.type === "late-message" && told !== false))) respondWith(told);
}
