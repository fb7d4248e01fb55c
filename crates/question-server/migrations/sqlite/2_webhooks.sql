CREATE TABLE webhook (
    conversation TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (conversation, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_due ON webhook (next_at);
