-- Schema.

-- People.
CREATE TABLE app.users (
    id integer PRIMARY KEY,
    name text NOT NULL DEFAULT 'create table x',
    "odd name" text
);

CREATE INDEX users_name ON app.users (name);

/* Active ones. */
CREATE OR REPLACE VIEW active AS
SELECT id, name FROM app.users WHERE name <> '';

CREATE FUNCTION add_one(x integer) RETURNS integer LANGUAGE sql AS $$
SELECT x + 1
$$;

CREATE TABLE IF NOT EXISTS "Quoted" (id int);
INSERT INTO app.users (id, name) VALUES (1, 'é😀');
ALTER TABLE app.users ADD COLUMN age integer;
