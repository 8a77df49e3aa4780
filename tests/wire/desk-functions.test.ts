import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROLES } from '#contract/roles.ts';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { contribute, getRefusal } from '#tests/support/desk.ts';

type Function = Readonly<{ name: string; names: readonly string[]; types: readonly string[] }>;

let server: TestServer;
let functions: readonly Function[];
/** A value of each type that a function takes; it exists where it can. */
let values: Readonly<Record<string, unknown>>;

/** Opens with a ticket and without a login; without a ticket there is nothing. */
const FOR_ANYBODY = 'desk_ticket_redeem';

beforeAll(async () => {
  server = await bootServer();
  const id = await contribute(server, { lastName: 'Geheim', email: 'geheim@beispiel.test', transcript: 'x' });
  functions = await asOwner(server.databaseUrl, async (client) => {
    const found = await client.query<Function>(
      `select proname::text as name, coalesce(proargnames, '{}')::text[] as names,
         array(select format_type(one, null) from unnest(proargtypes) as one)::text[] as types
       from pg_proc where pronamespace = 'public'::regnamespace and proname like 'desk\\_%' order by 1`,
    );
    return found.rows;
  });
  values = {
    bigint: id,
    'bigint[]': [id],
    integer: 1,
    text: 'geheim@beispiel.test',
    'text[]': [],
    boolean: true,
    uuid: randomUUID(),
    jsonb: { contribution: id },
    'timestamp with time zone': '2026-01-01T00:00:00Z',
  };
});
afterAll(() => server.stop());

const getArguments = ({ names, types }: Function) =>
  Object.fromEntries(types.map((type, at) => [names[at], values[type]]));

test('Desk: knows a value for every argument of every function', () => {
  expect(functions.length).toBeGreaterThan(25);
  for (const { name, types } of functions)
    for (const type of types) expect([name, Object.keys(values)]).toEqual([name, expect.arrayContaining([type])]);
});

test.each(['nobody', 'no role', ...ROLES.filter((role) => role !== 'admin')] as const)(
  'desk: whatever functions there are, %s is refused by each',
  async (who) => {
    const caller =
      who === 'nobody' ? server.client() : (await createUser(server, who === 'no role' ? {} : { role: who })).client;
    for (const one of functions.filter(({ name }) => name !== FOR_ANYBODY)) {
      const refused = await getRefusal(caller.rpc(one.name, getArguments(one)));
      expect([one.name, refused]).toEqual([one.name, { status: who === 'nobody' ? 401 : 403, code: '42501' }]);
    }
    expect((await caller.rpc(FOR_ANYBODY, { id: 'x' })).data).toBeNull();
  },
);

/** What only the server calls, with its own key. */
const FOR_THE_SERVICE = /^desk_(mail_|erasure_|retain|ticket_)/;

test('Desk: refuses server functions to administrators', async () => {
  const { client } = await createUser(server, { role: 'admin' });
  const own = functions.filter(
    ({ name }) => FOR_THE_SERVICE.test(name) && name !== FOR_ANYBODY && name !== 'desk_ticket_keep',
  );
  expect(own.length).toBeGreaterThan(10);
  for (const one of own)
    expect([one.name, await getRefusal(client.rpc(one.name, getArguments(one)))]).toEqual([
      one.name,
      { status: 403, code: '42501' },
    ]);
});
