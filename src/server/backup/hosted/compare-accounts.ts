import type { User } from '@supabase/supabase-js';
import { fullName } from '#backend/maintenance.ts';
import type { Compared } from './compare.ts';
import { staged, type MovedTable } from './moved-table.ts';
import { persistently } from './persistently.ts';
import { apiFault, type Target } from './target.ts';

const PAGE = 500;
const EXAMPLES = 5;

type Row = Readonly<{ id: string; says: string }>;

/** Whether the hosted project's own service reads every account as it is here: rows alone would not show that. */
export async function compareAccounts(target: Target, tables: readonly MovedTable[]): Promise<Compared> {
  const place = tables.findIndex((table) => fullName(table) === 'auth.users');
  const { rows } = await target.db.query<Row>(
    `select id, concat_ws(' ', coalesce(email, '-'), coalesce(phone, '-'), email_confirmed_at is not null,
       phone_confirmed_at is not null, coalesce(banned_until > now(), false), is_anonymous) as says
     from ${staged(place)} where deleted_at is null`,
  );
  const theirs = new Map((await allUsers(target)).map((user) => [user.id, whatItSays(user)]));
  const different = rows.filter(({ id, says }) => theirs.get(id) !== says).map(({ id }) => id);
  return {
    what: { kind: 'accounts' },
    here: rows.length,
    there: theirs.size,
    same: rows.length - different.length,
    examples: different.slice(0, EXAMPLES),
  };
}

function whatItSays(user: User): string {
  const banned = user.banned_until !== undefined && Date.parse(user.banned_until) > Date.now();
  const facts = [user.email_confirmed_at !== undefined, user.phone_confirmed_at !== undefined, banned];
  const flags = [...facts, user.is_anonymous === true].map((fact) => (fact ? 't' : 'f'));
  return [user.email || '-', user.phone || '-', ...flags].join(' ');
}

async function allUsers(target: Target): Promise<User[]> {
  const all: User[] = [];
  for (let page = 1; ; page += 1) {
    const { data, error } = await persistently(target, async () => {
      const answer = await target.supabase.auth.admin.listUsers({ page, perPage: PAGE });
      if (answer.error !== null) throw apiFault(answer.error);
      return answer;
    });
    if (error !== null) throw apiFault(error);
    all.push(...data.users);
    // A server may hand out smaller pages than asked for.
    if (data.users.length === 0 || all.length >= data.total) return all;
  }
}
