-- The servers' own key, by which push services know them. Subscriptions are made for it.
CREATE TABLE push_key (one integer PRIMARY KEY, pkcs8 bytea NOT NULL);

CREATE TABLE push_subscription (
    endpoint text NOT NULL PRIMARY KEY,
    owner text NOT NULL,
    p256dh text NOT NULL,
    auth text NOT NULL,
    created bigint NOT NULL
);
CREATE INDEX push_owner ON push_subscription (owner, created);
