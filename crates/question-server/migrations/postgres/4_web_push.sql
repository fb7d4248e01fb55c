-- What the servers of this database share and make themselves, such as the key by which push services know them.
CREATE TABLE secret (name text PRIMARY KEY, value bytea NOT NULL);

CREATE TABLE push_subscription (
    endpoint text NOT NULL PRIMARY KEY,
    owner text NOT NULL,
    p256dh text NOT NULL,
    auth text NOT NULL,
    created bigint NOT NULL
);
CREATE INDEX push_owner ON push_subscription (owner, created);
