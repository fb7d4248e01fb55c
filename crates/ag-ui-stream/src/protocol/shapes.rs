//! The shapes of values within events and inputs.

use crate::LEGACY;
use crate::end::EndOutcome;
use crate::wire::{MAX_INTEGER, MemberRule, Members, Union, ValueShape, may, must};
use json_tree::{Json, codes};

pub(crate) const TEXT: &ValueShape = &ValueShape::Text;
pub(crate) const ANY: &ValueShape = &ValueShape::Any;
pub(crate) const FLAG: &ValueShape = &ValueShape::Flag;
pub(crate) const OBJECT: &ValueShape = &ValueShape::OpenObject;
pub(crate) const INTEGER: &ValueShape = &ValueShape::Integer { min: -MAX_INTEGER };
const NATURAL: &ValueShape = &ValueShape::Integer { min: 0 };
const TEXTS: &ValueShape = &ValueShape::List { item: TEXT, min: 0 };

pub(crate) const TEXT_ROLE: &ValueShape = &ValueShape::Choice(&["developer", "system", "assistant", "user"]);
pub(crate) const TOOL_ROLE: &ValueShape = &ValueShape::Choice(&["tool"]);
pub(crate) const REASONING_ROLE: &ValueShape = &ValueShape::Choice(&["reasoning"]);
pub(crate) const ENCRYPTED: &ValueShape = &ValueShape::OpenChoice(&["tool-call", "message"]);
pub(crate) const PATCH: &ValueShape = &ValueShape::List { item: &ValueShape::Operation, min: 0 };

const PLAIN_UNION: Union = Union { tag: "type", kinds: &[], shared: |_| &[], translate_retired: |_| {} };

codes! {
    /// The role of a message.
    #[derive(Default)]
    Role {
        Developer "developer",
        System "system",
        #[default]
        Assistant "assistant",
        User "user",
        Tool "tool",
        Activity "activity",
        Reasoning "reasoning",
    }
}

pub(crate) static MESSAGE: Union = Union {
    tag: "role",
    kinds: &[
        ("developer", &[must("id", TEXT), must("content", TEXT), may("name", TEXT)]),
        ("system", &[must("id", TEXT), must("content", TEXT), may("name", TEXT)]),
        (
            "assistant",
            &[
                must("id", TEXT),
                may("content", TEXT),
                may("toolCalls", &ValueShape::List { item: &ValueShape::Object(&TOOL_CALL), min: 0 }),
                may("name", TEXT),
            ],
        ),
        ("user", &[must("id", TEXT), must("content", CONTENT), may("name", TEXT)]),
        ("tool", &[must("id", TEXT), must("toolCallId", TEXT), must("content", CONTENT), may("error", TEXT)]),
        ("activity", &[must("id", TEXT), must("activityType", TEXT), must("content", OBJECT)]),
        ("reasoning", &[must("id", TEXT), must("content", TEXT)]),
    ],
    shared: |kind| if kind == "activity" { SHARED.split_at(2).1 } else { &SHARED },
    ..PLAIN_UNION
};
pub(crate) const A_MESSAGE: &ValueShape = &ValueShape::Union(&MESSAGE);
pub(crate) const MESSAGES: &ValueShape = &ValueShape::List { item: A_MESSAGE, min: 0 };

/// The members that every message may have. An activity has only the last two.
static SHARED: [MemberRule; 4] =
    [may("encryptedValue", TEXT), may("encryptedValueType", TEXT), may("subagentRunId", TEXT), may("metadata", OBJECT)];

static TOOL_CALL: [MemberRule; 6] = [
    must("id", TEXT),
    must("type", &ValueShape::Choice(&["function"])),
    must("function", &ValueShape::Object(&[must("name", TEXT), must("arguments", TEXT)])),
    may("encryptedValue", TEXT),
    may("encryptedValueType", TEXT),
    may("metadata", OBJECT),
];

pub(crate) const CONTENT: &ValueShape = &ValueShape::TextOrList(&ValueShape::Union(&PART));

static PART: Union = Union {
    kinds: &[
        ("text", &[must("text", TEXT), may("id", TEXT), may("metadata", ANY)]),
        ("image", &MEDIA),
        ("audio", &MEDIA),
        ("video", &MEDIA),
        ("document", &MEDIA),
    ],
    translate_retired: translate_part,
    ..PLAIN_UNION
};

/// Translates a `binary` part of clients before 1.0 into a media part. A part without MIME type or content stays and is then removed as unknown.
fn translate_part(part: &mut Members<'_>) {
    if !LEGACY || part.string("type") != Some("binary") {
        return;
    }
    let kinds = [("data", "data"), ("url", "url"), ("id", "file")];
    let value = kinds.iter().find_map(|(name, kind)| Some((kind, part.string(name)?)));
    let (Some(mime), Some((kind, value))) = (part.string("mimeType"), value) else {
        return;
    };
    let is_medium = |medium: &&&str| mime.strip_prefix(**medium).is_some_and(|rest| rest.starts_with('/'));
    let medium = ["image", "audio", "video"].iter().find(is_medium).unwrap_or(&"document");
    let source = &mut [("type", Some((*kind).into())), ("value", Some(value.into())), ("mimeType", Some(mime.into()))];
    let metadata = part.string("filename").map(|name| Json::object_of(&mut [("filename", Some(name.into()))]));
    let mut translated =
        [("type", Some((*medium).into())), ("source", Some(Json::object_of(source))), ("metadata", metadata)];
    if let Json::Object(translated) = Json::object_of(&mut translated) {
        *part = translated;
    }
}

static MEDIA: [MemberRule; 3] = [must("source", &ValueShape::Union(&SOURCE)), may("id", TEXT), may("metadata", ANY)];

static SOURCE: Union = Union {
    kinds: &[
        ("data", &[must("value", TEXT), must("mimeType", TEXT)]),
        ("url", &[must("value", TEXT), may("mimeType", TEXT)]),
        ("file", &[must("value", TEXT), may("provider", TEXT), may("mimeType", TEXT)]),
    ],
    ..PLAIN_UNION
};

pub(crate) const RUN_OUTCOME: &ValueShape = &ValueShape::Union(&Union {
    kinds: &[
        ("success", &[may("pendingToolCallIds", TEXTS)]),
        ("interrupt", &[must("interrupts", INTERRUPTS)]),
        ("cancelled", &[]),
    ],
    ..PLAIN_UNION
});

const INTERRUPTS: &ValueShape = &ValueShape::List { item: &ValueShape::Object(INTERRUPT), min: 1 };
const INTERRUPT: &[MemberRule] = &[
    must("id", TEXT),
    must("reason", TEXT),
    may("message", TEXT),
    may("toolCallId", TEXT),
    may("responseSchema", OBJECT),
    may("expiresAt", TEXT),
    may("subagentRunId", TEXT),
    may("metadata", OBJECT),
];

pub(crate) const SUBAGENT_OUTCOME: &ValueShape = &ValueShape::Union(&Union {
    kinds: &[("success", &[]), ("suspended", &[may("interruptIds", TEXTS)])],
    ..PLAIN_UNION
});

pub(crate) const USAGES: &ValueShape = &ValueShape::List {
    item: &ValueShape::Object(&[
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

pub(crate) const INPUT: &ValueShape = &ValueShape::Object(&[
    must("threadId", TEXT),
    must("runId", TEXT),
    must("messages", MESSAGES),
    may("protocolVersion", TEXT),
    may("parentRunId", TEXT),
    may("state", ANY),
    may("tools", TOOLS),
    may(
        "context",
        &ValueShape::List { item: &ValueShape::Object(&[must("description", TEXT), must("value", TEXT)]), min: 0 },
    ),
    may("forwardedProps", ANY),
    may("resume", RESUMES),
]);

pub(crate) const HISTORY: &ValueShape = &ValueShape::Object(&[
    must("messages", MESSAGES),
    may("state", ANY),
    may("ended", &ValueShape::Choice(&EndOutcome::WORDS)),
    may("interrupts", &ValueShape::List { item: &ValueShape::Object(INTERRUPT), min: 0 }),
    may("records", &ValueShape::List { item: OBJECT, min: 0 }),
]);

const TOOLS: &ValueShape = &ValueShape::List { item: &ValueShape::Object(TOOL), min: 0 };
const TOOL: &[MemberRule] =
    &[must("name", TEXT), must("description", TEXT), may("parameters", ANY), may("metadata", OBJECT)];

const RESUMES: &ValueShape = &ValueShape::List { item: &ValueShape::Object(RESUME), min: 0 };
const RESUME: &[MemberRule] = &[
    must("interruptId", TEXT),
    must("status", &ValueShape::Choice(&["resolved", "cancelled"])),
    may("payload", ANY),
    may("metadata", OBJECT),
];
