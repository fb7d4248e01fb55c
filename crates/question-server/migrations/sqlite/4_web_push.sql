-- The server's own key, by which push services know it. Subscriptions are made for it.
CREATE TABLE push_key (one INTEGER PRIMARY KEY, pkcs8 BLOB NOT NULL) STRICT;

CREATE TABLE push_subscription (
    endpoint TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX push_owner ON push_subscription (owner, created);
