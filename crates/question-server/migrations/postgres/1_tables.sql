CREATE TABLE conversation (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    owner text,
    peer text NOT NULL,
    version bigint NOT NULL,
    state text NOT NULL,
    context text NOT NULL,
    revision bigint NOT NULL,
    run text,
    holder text,
    due_at bigint,
    ended_at bigint,
    waiting_since bigint
);
CREATE INDEX due_runs ON conversation (due_at) WHERE due_at IS NOT NULL AND waiting_since IS NULL;
CREATE INDEX due_questions ON conversation (due_at) WHERE due_at IS NOT NULL AND waiting_since IS NOT NULL;
CREATE INDEX ended ON conversation (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX owned ON conversation (owner) WHERE owner IS NOT NULL;
CREATE INDEX peers ON conversation (peer);
CREATE INDEX waiting ON conversation (waiting_since) WHERE waiting_since IS NOT NULL;

CREATE TABLE message (
    conversation bigint NOT NULL REFERENCES conversation ON DELETE CASCADE,
    sequence bigint NOT NULL,
    json text NOT NULL,
    PRIMARY KEY (conversation, sequence)
);

CREATE TABLE entry (
    conversation bigint NOT NULL REFERENCES conversation ON DELETE CASCADE,
    revision bigint NOT NULL,
    run text,
    told text NOT NULL,
    PRIMARY KEY (conversation, revision)
);

CREATE TABLE readiness (one bigint PRIMARY KEY, filler text NOT NULL);
ALTER TABLE readiness ALTER COLUMN filler SET STORAGE EXTERNAL;
