-- The day of a network's uploads is one of UTC. A request may name its time zone (`Prefer: timezone`), and far in the
-- east it is tomorrow for half of the day: a guest's first contribution then forgot what all networks had uploaded.

alter function private.count_upload(bigint, text, text, bigint, integer) set timezone = 'UTC';
