-- What the server makes itself and keeps, such as the key by which push services know it.
CREATE TABLE secret (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE push_subscription (
    endpoint TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX push_owner ON push_subscription (owner, created);
