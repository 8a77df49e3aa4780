import { AUDIENCE } from '../../accounts.ts';
import { queryText } from '../../body.ts';
import { adminCall } from '../../call.ts';
import { invalid } from '../../errors.ts';
import { identitiesOf } from '../../records/identities.ts';
import { listUsers as readUsers } from '../../records/users.ts';
import { userJson } from '../../user-json.ts';

const DEFAULT_SIZE = 50;
const LARGEST_SIZE = 1_000;
const SORTABLE = new Set(['created_at', 'updated_at', 'email', 'last_sign_in_at', 'id']);

/** GET /admin/users?page&per_page&filter&sort: one page, with `x-total-count` and `link`. */
export const listUsers = adminCall({ method: 'GET', url: '/admin/users' }, async ({ context, request, reply }) => {
  const page = positive(queryText(request, 'page'), 1);
  const size = Math.min(LARGEST_SIZE, positive(queryText(request, 'per_page'), DEFAULT_SIZE));
  const filter = queryText(request, 'filter');
  const order = orderOf(queryText(request, 'sort'));
  const found = await context.database.asOwner(async (tx) => {
    const { users, total } = await readUsers(tx, { filter, order, limit: size, offset: (page - 1) * size });
    const identities = await identitiesOf(
      tx,
      users.map(({ id }) => id),
    );
    return { users: users.map((user) => userJson(user, identities)), total };
  });
  const last = Math.max(1, Math.ceil(found.total / size));
  return reply
    .header('x-total-count', String(found.total))
    .header('link', links(`${context.externalUrl}/admin/users`, page, size, last))
    .send({ users: found.users, aud: AUDIENCE });
});

/** The official client reads the first digits behind the first `=`, so `page` leads. */
function links(url: string, page: number, size: number, last: number): string {
  const link = (to: number, rel: string): string => `<${url}?page=${to}&per_page=${size}>; rel="${rel}"`;
  return [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', ');
}

function positive(text: string, fallback: number): number {
  if (text === '') return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalid(`Bad Pagination Parameters: ${text}`);
  return Number(text);
}

/** `created_at desc, email`: columns and directions we know, newest first where nothing is asked. */
function orderOf(sort: string): string {
  if (sort === '') return 'created_at desc, id';
  const parts = sort.split(',').map((part) => {
    const [column = '', direction = 'desc', more] = part.trim().split(/\s+/);
    const known = SORTABLE.has(column) && /^(asc|desc)$/i.test(direction) && more === undefined;
    if (!known) throw invalid(`Bad Sort Parameters: ${sort}`);
    return `${column} ${direction}`;
  });
  return [...parts, 'id'].join(', ');
}
