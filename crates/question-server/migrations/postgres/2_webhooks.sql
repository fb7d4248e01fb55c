CREATE TABLE webhook (
    conversation text NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    id text NOT NULL,
    url text NOT NULL,
    body text NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    next_at bigint NOT NULL,
    PRIMARY KEY (conversation, id)
);
CREATE INDEX webhook_due ON webhook (next_at);
