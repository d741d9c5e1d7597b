-- One schema and one role a service. The owner (whoever runs this) owns every table; a service's role sees and
-- changes the rows of its own schema and nothing else.
-- psql variables: orders_password, courier_eta_password, activity_dispatch_password, desk_password, partners_password.

REVOKE ALL ON SCHEMA public FROM PUBLIC;

SELECT format('CREATE ROLE %I LOGIN', name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

ALTER ROLE orders PASSWORD :'orders_password';
ALTER ROLE courier_eta PASSWORD :'courier_eta_password';
ALTER ROLE activity_dispatch PASSWORD :'activity_dispatch_password';
ALTER ROLE desk PASSWORD :'desk_password';
ALTER ROLE partners PASSWORD :'partners_password';

SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec

SELECT format('CREATE SCHEMA IF NOT EXISTS %I', name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec
SELECT format('GRANT USAGE ON SCHEMA %I TO %I', name, name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec
SELECT format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I', name, name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec
SELECT format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT USAGE, SELECT ON SEQUENCES TO %I', name, name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec
SELECT format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT EXECUTE ON FUNCTIONS TO %I', name, name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec

-- What is there already, as after a restore: the defaults above are those of later tables.
SELECT format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', name, name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec
SELECT format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO %I', name, name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec
SELECT format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %I TO %I', name, name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec

-- A service's unqualified names are its own.
SELECT format('ALTER ROLE %I IN DATABASE %I SET search_path = %I', name, current_database(), name)
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec
SELECT format('ALTER ROLE %I IN DATABASE %I SET idle_in_transaction_session_timeout = ''30s''', name, current_database())
FROM unnest(ARRAY['orders', 'courier_eta', 'activity_dispatch', 'desk', 'partners']) AS name \gexec
