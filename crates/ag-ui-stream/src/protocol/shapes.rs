//! What the protocol describes within events and inputs.

use super::retired::translate_part;
use crate::wire::{Field, MAX_INTEGER, Shape, Union, may, must, or_null};

pub(crate) const TEXT: &Shape = &Shape::Text;
pub(crate) const ANY: &Shape = &Shape::Any;
pub(crate) const FLAG: &Shape = &Shape::Flag;
pub(crate) const OBJECT: &Shape = &Shape::OpenObject;
pub(crate) const INTEGER: &Shape = &Shape::Integer { min: -MAX_INTEGER };
const NATURAL: &Shape = &Shape::Integer { min: 0 };
const TEXTS: &Shape = &Shape::List { item: TEXT, min: 0 };

pub(crate) const TEXT_ROLE: &Shape = &Shape::Choice(&["developer", "system", "assistant", "user"]);
pub(crate) const TOOL_ROLE: &Shape = &Shape::Choice(&["tool"]);
pub(crate) const REASONING_ROLE: &Shape = &Shape::Choice(&["reasoning"]);
pub(crate) const ENCRYPTED: &Shape = &Shape::OpenChoice(&["tool-call", "message"]);
pub(crate) const PATCH: &Shape = &Shape::List { item: &Shape::Operation, min: 0 };

/// The kinds of message, in the order of [`Role`](crate::message::Role).
pub(crate) static MESSAGE: Union = Union {
    tag: "role",
    kinds: &[
        ("developer", &SAID),
        ("system", &SAID),
        (
            "assistant",
            &[
                must("id", TEXT),
                may("content", TEXT),
                may("toolCalls", &Shape::List { item: &Shape::Object(&TOOL_CALL), min: 0 }),
                may("name", TEXT),
                may("encryptedValue", TEXT),
                may("encryptedValueType", TEXT),
                may("subagentRunId", TEXT),
                may("metadata", OBJECT),
            ],
        ),
        (
            "user",
            &[
                must("id", TEXT),
                must("content", CONTENT),
                may("name", TEXT),
                may("encryptedValue", TEXT),
                may("encryptedValueType", TEXT),
                may("subagentRunId", TEXT),
                may("metadata", OBJECT),
            ],
        ),
        (
            "tool",
            &[
                must("id", TEXT),
                must("toolCallId", TEXT),
                must("content", CONTENT),
                may("error", TEXT),
                may("encryptedValue", TEXT),
                may("encryptedValueType", TEXT),
                may("subagentRunId", TEXT),
                may("metadata", OBJECT),
            ],
        ),
        (
            "activity",
            &[
                must("id", TEXT),
                must("activityType", TEXT),
                must("content", OBJECT),
                may("subagentRunId", TEXT),
                may("metadata", OBJECT),
            ],
        ),
        (
            "reasoning",
            &[
                must("id", TEXT),
                must("content", TEXT),
                may("encryptedValue", TEXT),
                may("encryptedValueType", TEXT),
                may("subagentRunId", TEXT),
                may("metadata", OBJECT),
            ],
        ),
    ],
    translate_retired: |_| {},
};
pub(crate) const A_MESSAGE: &Shape = &Shape::Union(&MESSAGE);
pub(crate) const MESSAGES: &Shape = &Shape::List { item: A_MESSAGE, min: 0 };

static SAID: [Field; 7] = [
    must("id", TEXT),
    must("content", TEXT),
    may("name", TEXT),
    may("encryptedValue", TEXT),
    may("encryptedValueType", TEXT),
    may("subagentRunId", TEXT),
    may("metadata", OBJECT),
];

static TOOL_CALL: [Field; 6] = [
    must("id", TEXT),
    must("type", &Shape::Choice(&["function"])),
    must("function", &Shape::Object(&[must("name", TEXT), must("arguments", TEXT)])),
    may("encryptedValue", TEXT),
    may("encryptedValueType", TEXT),
    may("metadata", OBJECT),
];

pub(crate) const CONTENT: &Shape = &Shape::TextOrList(&Shape::Union(&PART));

static PART: Union = Union {
    tag: "type",
    kinds: &[
        ("text", &[must("text", TEXT), may("id", TEXT), may("metadata", ANY)]),
        ("image", &MEDIA),
        ("audio", &MEDIA),
        ("video", &MEDIA),
        ("document", &MEDIA),
    ],
    translate_retired: translate_part,
};

static MEDIA: [Field; 3] = [must("source", &Shape::Union(&SOURCE)), may("id", TEXT), or_null("metadata", ANY)];

static SOURCE: Union = Union {
    tag: "type",
    kinds: &[
        ("data", &[must("value", TEXT), must("mimeType", TEXT)]),
        ("url", &[must("value", TEXT), may("mimeType", TEXT)]),
        ("file", &[must("value", TEXT), may("provider", TEXT), may("mimeType", TEXT)]),
    ],
    translate_retired: |_| {},
};

pub(crate) const RUN_OUTCOME: &Shape = &Shape::Union(&Union {
    tag: "type",
    kinds: &[
        ("success", &[may("pendingToolCallIds", TEXTS)]),
        ("interrupt", &[must("interrupts", INTERRUPTS)]),
        ("cancelled", &[]),
    ],
    translate_retired: |_| {},
});

const INTERRUPTS: &Shape = &Shape::List { item: &Shape::Object(INTERRUPT), min: 1 };
const INTERRUPT: &[Field] = &[
    must("id", TEXT),
    must("reason", TEXT),
    may("message", TEXT),
    may("toolCallId", TEXT),
    may("responseSchema", OBJECT),
    may("expiresAt", TEXT),
    may("subagentRunId", TEXT),
    may("metadata", OBJECT),
];

pub(crate) const SUBAGENT_OUTCOME: &Shape = &Shape::Union(&Union {
    tag: "type",
    kinds: &[("success", &[]), ("suspended", &[may("interruptIds", TEXTS)])],
    translate_retired: |_| {},
});

pub(crate) const USAGES: &Shape = &Shape::List {
    item: &Shape::Object(&[
        may("provider", TEXT),
        may("model", TEXT),
        may("inputTokens", NATURAL),
        may("outputTokens", NATURAL),
        may("totalTokens", NATURAL),
        may("reasoningTokens", NATURAL),
        may("cachedInputTokens", NATURAL),
        may("cacheWriteInputTokens", NATURAL),
    ]),
    min: 0,
};

/// The body of the `POST` that starts a run.
pub(crate) const INPUT: &Shape = &Shape::Object(&[
    must("threadId", TEXT),
    must("runId", TEXT),
    must("messages", MESSAGES),
    may("protocolVersion", TEXT),
    may("parentRunId", TEXT),
    may("state", ANY),
    may("tools", TOOLS),
    may("context", &Shape::List { item: &Shape::Object(&[must("description", TEXT), must("value", TEXT)]), min: 0 }),
    or_null("forwardedProps", ANY),
    may("resume", RESUMES),
]);

/// What is kept of a conversation.
pub(crate) const HISTORY: &Shape = &Shape::Object(&[
    must("messages", MESSAGES),
    may("state", ANY),
    may("ended", &Shape::Choice(&["completed", "interrupt", "cancelled", "error", "truncated", "rejected"])),
    may("interrupts", &Shape::List { item: &Shape::Object(INTERRUPT), min: 0 }),
    may("legacyInterrupts", &Shape::List { item: OBJECT, min: 0 }),
]);

const TOOLS: &Shape = &Shape::List { item: &Shape::Object(TOOL), min: 0 };
const TOOL: &[Field] =
    &[must("name", TEXT), must("description", TEXT), or_null("parameters", ANY), may("metadata", OBJECT)];

const RESUMES: &Shape = &Shape::List { item: &Shape::Object(RESUME), min: 0 };
const RESUME: &[Field] = &[
    must("interruptId", TEXT),
    must("status", &Shape::Choice(&["resolved", "cancelled"])),
    or_null("payload", ANY),
    may("metadata", OBJECT),
];
