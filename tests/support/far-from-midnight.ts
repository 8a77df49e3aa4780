import { asOwner } from './callers.ts';

/**
 * Sets the time zone of the database's next connections so that no day ends for six hours, for tests of what holds for
 * a day. Its day is the day in UTC or the one after, as for a transaction that began after midnight.
 */
export async function setFarFromMidnight(databaseUrl: string): Promise<void> {
  await asOwner(databaseUrl, (owner) =>
    owner.query(`do $$ begin
        execute format('alter database %I set timezone = %L', current_database(),
          case when extract(hour from now() at time zone 'UTC') between 6 and 17 then 'UTC' else 'Etc/GMT-12' end);
      end $$`),
  );
}
