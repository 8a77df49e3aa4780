-- Functions alone write the audit log, with their owner's privileges. Default privileges had given its sequence to every request
-- role, so each could move it on or back.
revoke all on sequence public.desk_audit_log_id_seq from public, anon, authenticated, service_role;
