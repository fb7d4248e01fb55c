-- Marks a file of this program: `AskU`. Other databases are refused.
PRAGMA application_id = 0x41736b55;

CREATE TABLE conversation (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT,
    peer TEXT NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    context TEXT NOT NULL,
    revision INTEGER NOT NULL,
    run TEXT,
    holder TEXT,
    due_at INTEGER,
    ended_at INTEGER,
    waiting_since INTEGER
) STRICT;
CREATE INDEX due_runs ON conversation (due_at) WHERE due_at IS NOT NULL AND waiting_since IS NULL;
CREATE INDEX due_questions ON conversation (due_at) WHERE due_at IS NOT NULL AND waiting_since IS NOT NULL;
CREATE INDEX ended ON conversation (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX owned ON conversation (owner) WHERE owner IS NOT NULL;
CREATE INDEX peers ON conversation (peer);
CREATE INDEX waiting ON conversation (waiting_since) WHERE waiting_since IS NOT NULL;

-- Both have row ids: without, a text of more than a kilobyte takes a page for itself.
CREATE TABLE message (
    conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (conversation, sequence)
) STRICT;

CREATE TABLE entry (
    conversation INTEGER NOT NULL REFERENCES conversation (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    run TEXT,
    told TEXT NOT NULL,
    PRIMARY KEY (conversation, revision)
) STRICT;

CREATE TABLE readiness (one INTEGER PRIMARY KEY, filler TEXT NOT NULL) STRICT;
