-- The three roles of Signalbox and their time limits. Run it as a superuser in the database of the service, before the
-- first `migrate`. It may run again. Then set the passwords with \password in psql.
--
--   signalbox         owns the tables; for `migrate` only, directly on PostgreSQL and not through PgBouncer
--   signalbox_web     web processes and commands
--   signalbox_worker  workers and clocks
--
-- PgBouncer passes no time limits on, so the roles have them. `manage.py doctor` fails if statement_timeout is 0.

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['signalbox', 'signalbox_web', 'signalbox_worker'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', name);
        END IF;
        EXECUTE format('ALTER ROLE %I SET timezone = ''UTC''', name);
        EXECUTE format('ALTER ROLE %I SET lock_timeout = ''2s''', name);
        EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''10s''', name);
        EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO %I', current_database(), name);
    END LOOP;
    EXECUTE format('ALTER DATABASE %I OWNER TO signalbox', current_database());
END
$$;

ALTER ROLE signalbox SET statement_timeout = 0;  -- a migration may read a whole table; lock_timeout protects the others
ALTER ROLE signalbox_web SET statement_timeout = '5s';
ALTER ROLE signalbox_worker SET statement_timeout = '60s';

GRANT pg_read_all_stats TO signalbox_web;  -- /metrics counts the connections by state
GRANT USAGE, CREATE ON SCHEMA public TO signalbox;
GRANT USAGE ON SCHEMA public TO signalbox_web, signalbox_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO signalbox_web, signalbox_worker;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO signalbox_web, signalbox_worker;
ALTER DEFAULT PRIVILEGES FOR ROLE signalbox IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO signalbox_web, signalbox_worker;
ALTER DEFAULT PRIVILEGES FOR ROLE signalbox IN SCHEMA public
    GRANT USAGE, SELECT ON SEQUENCES TO signalbox_web, signalbox_worker;
