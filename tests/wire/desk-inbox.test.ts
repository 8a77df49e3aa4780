import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTRIBUTION_KINDS, DESK_SORTS, DESK_STATES, type DeskQuery } from '#contract/desk.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { change, contribute, idsIn, inbox, getRefusal } from '#tests/support/desk.ts';

let server: TestServer;
let ada: TestUser;
let grace: TestUser;
let ids: Readonly<Record<'video' | 'voice' | 'interview' | 'image' | 'nothing', number>>;

beforeAll(async () => {
  server = await bootServer();
  ada = await createUser(server, { role: 'admin' });
  grace = await createUser(server, { role: 'admin' });
  const origin = (area: string, kind: string, topic?: string) => ({
    area,
    kind,
    ...(topic === undefined ? {} : { topic }),
  });
  ids = {
    video: await contribute(server, {
      createdAt: '2026-01-01T12:00Z',
      firstName: 'Çelik',
      lastName: 'Z',
      email: 'c@beispiel.test',
      origin: origin('firma-a', 'video'),
    }),
    voice: await contribute(server, {
      createdAt: '2026-01-02T12:00Z',
      firstName: 'ada',
      lastName: 'A',
      email: 'a@beispiel.test',
      origin: origin('firma-b', 'voice_message'),
    }),
    // 0:30 on the third of January in Germany.
    interview: await contribute(server, {
      createdAt: '2026-01-02T23:30Z',
      userEmail: 'mitte@beispiel.test',
      origin: origin('testnormec', 'interview', 'tech-dive'),
    }),
    image: await contribute(server, {
      createdAt: '2026-01-04T12:00Z',
      firstName: 'Änne',
      lastName: 'B',
      email: 'b@beispiel.test',
      files: [{ path: '1.png', type: 'image/png' }],
      origin: origin('generic', 'image'),
    }),
    nothing: await contribute(server, { createdAt: '2026-01-05T12:00Z' }),
  };
  await change(ada.client, { id: ids.video, version: 1, change: { state: 'in_progress' } });
  await change(ada.client, { id: ids.video, version: 2, change: { assignee: null } });
  await change(ada.client, { id: ids.voice, version: 1, change: { assignee: ada.id } });
  await change(ada.client, { id: ids.image, version: 1, change: { assignee: grace.id } });
});
afterAll(() => server.stop());

const getNames = (found: readonly number[]): (string | undefined)[] =>
  found.map((id) => Object.entries(ids).find(([, known]) => known === id)?.[0]);
const ask = async (query: DeskQuery): Promise<(string | undefined)[]> => getNames(await idsIn(ada.client, query));

describe('Desk: inbox', () => {
  test('Returns the facts of the contract for each contribution', async () => {
    const { items, next } = await inbox(ada.client);
    expect(next).toBeNull();
    expect(items.find(({ id }) => id === ids.image)).toEqual({
      id: ids.image,
      area: 'generic',
      kind: 'image',
      topic: null,
      contributor: 'Änne B',
      contributorEmail: 'b@beispiel.test',
      createdAt: '2026-01-04T12:00:00+00:00',
      changedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/),
      state: 'new',
      finished: true,
      files: 1,
      assignee: grace.id,
      assigneeEmail: grace.email,
      version: 2,
      excerpt: '',
      posts: null,
    });
    expect(items.find(({ id }) => id === ids.interview)).toMatchObject({
      topic: 'tech-dive',
      contributor: 'mitte@beispiel.test',
      contributorEmail: 'mitte@beispiel.test',
      finished: false,
    });
    expect(items.find(({ id }) => id === ids.nothing)).toMatchObject({
      contributor: '',
      contributorEmail: null,
      finished: false,
    });
  });

  const filters: readonly (readonly [string, DeskQuery, readonly string[]])[] = [
    ['nothing', {}, ['nothing', 'image', 'interview', 'voice', 'video']],
    [
      'empty lists',
      { areas: [], kinds: [], states: [], search: '', limit: 50 },
      ['nothing', 'image', 'interview', 'voice', 'video'],
    ],
    ['one area', { areas: ['firma-a'] }, ['video']],
    ['two areas', { areas: ['firma-a', 'firma-b'] }, ['voice', 'video']],
    ['an area nobody knows', { areas: ['firma-z'] }, []],
    ['kinds', { kinds: ['image', 'interview'] }, ['image', 'interview']],
    ['a state', { states: ['in_progress'] }, ['video']],
    ['states', { states: ['in_progress', 'new'] }, ['nothing', 'image', 'interview', 'voice', 'video']],
    ['finished', { finished: true }, ['image', 'voice', 'video']],
    ['unfinished', { finished: false }, ['nothing', 'interview']],
    ['nobody’s', { assignee: 'none' }, ['nothing', 'interview', 'video']],
    ['from a day on', { from: '2026-01-03' }, ['nothing', 'image', 'interview']],
    ['until a day', { until: '2026-01-02' }, ['voice', 'video']],
    ['one day, in Germany', { from: '2026-01-03', until: '2026-01-03' }, ['interview']],
    [
      'several at once',
      { finished: true, areas: ['generic', 'firma-a'], states: ['new'], from: '2026-01-01' },
      ['image'],
    ],
    ['oldest first', { sort: 'oldest' }, ['video', 'voice', 'interview', 'image', 'nothing']],
    [
      'changed last first',
      { sort: 'changed', states: ['new', 'in_progress'], finished: true },
      ['image', 'voice', 'video'],
    ],
    [
      'by name as a German orders them, nameless last',
      { sort: 'contributor' },
      ['voice', 'image', 'video', 'interview', 'nothing'],
    ],
  ];
  test.each(filters)('%s', async (_name, query, expected) => {
    expect(await ask(query)).toEqual(expected);
  });

  test('Filters by the own account', async () => {
    expect(await ask({ assignee: ada.id })).toEqual(['voice']);
    expect(await ask({ assignee: grace.id.toUpperCase() })).toEqual(['image']);
  });

  test('Counts the states within the other filters', async () => {
    const none = Object.fromEntries(DESK_STATES.map((state) => [state, 0]));
    expect((await inbox(ada.client, { states: ['rejected'] })).counts).toEqual({ ...none, new: 4, in_progress: 1 });
    expect((await inbox(ada.client, { finished: true, limit: 1 })).counts).toEqual({ ...none, new: 2, in_progress: 1 });
    expect((await inbox(ada.client, { areas: ['firma-z'] })).counts).toEqual(none);
  });

  test('Pages through every sort without gaps or duplicates', async () => {
    for (const sort of DESK_SORTS) {
      const all = await idsIn(ada.client, { sort });
      const walked: number[] = [];
      for (let after: string | null = ''; after !== null;) {
        const page = await inbox(ada.client, { sort, limit: 1, after });
        walked.push(...page.items.map(({ id }) => id));
        after = page.next;
      }
      expect(walked).toEqual(all);
    }
  });

  test('Returns HTML and formulas in names as text', async () => {
    const facts = {
      firstName: '<img src=x onerror=alert(1)>',
      lastName: '=cmd|"/C calc"!A0',
      email: 'x@beispiel.test',
      transcript: '<b>fett</b> &amp; =1+1',
      origin: { area: 'firma-x' },
    };
    const id = await contribute(server, facts);
    const [item] = (await inbox(ada.client, { areas: ['firma-x'] })).items;
    expect(item).toMatchObject({ contributor: `${facts.firstName} ${facts.lastName}`, excerpt: facts.transcript });
    await asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [id]));
  });
});

describe('Desk: invalid queries', () => {
  test.each<[string, unknown]>([
    ['a list', []],
    ['a text', 'x'],
    ['an unknown field', { colour: 'red' }],
    ['an unknown state', { states: ['done'] }],
    ['an unknown kind', { kinds: ['song'] }],
    ['a kind that is no list', { kinds: 'image' }],
    ['areas that are no texts', { areas: [1] }],
    ['too many areas', { areas: Array.from({ length: 51 }, (_, n) => `a${n}`) }],
    ['finished that is no yes or no', { finished: 'true' }],
    ['an assignee that is no id', { assignee: 'ada' }],
    ['a day that is none', { from: '2026-02-30' }],
    ['a day in words', { until: 'morgen' }],
    ['an unknown sort', { sort: 'best' }],
    ['no lines', { limit: 0 }],
    ['too many lines', { limit: 201 }],
    ['half a line', { limit: 1.5 }],
    ['a search too long', { search: 'x'.repeat(1_001) }],
    ['a place that is no hex', { after: 'zz' }],
    ['a place that is no JSON', { after: 'ff' }],
    ['a place of nothing', { after: Buffer.from('["newest",null,null]').toString('hex') }],
    ['a place in no time', { after: Buffer.from('["newest","gestern","1"]').toString('hex') }],
    ['a place in another sort', { after: Buffer.from('["oldest","2026-01-01T00:00Z","1"]').toString('hex') }],
    [
      'a place with SQL in it',
      { sort: 'contributor', after: Buffer.from(`["contributor","x","1' or 1=1"]`).toString('hex') },
    ],
  ])('%s', async (_name, query) => {
    expect(await getRefusal(ada.client.rpc('desk_inbox', { query }))).toEqual({ status: 400, code: '22023' });
  });

  test('Treats SQL in values as text', async () => {
    const evil = `x'); drop table interviews; --`;
    expect(await idsIn(ada.client, { areas: [evil], search: evil })).toEqual([]);
    const after = Buffer.from(JSON.stringify(['contributor', evil, '1'])).toString('hex');
    expect(await idsIn(ada.client, { sort: 'contributor', after })).toEqual([ids.nothing]);
  });
});

describe('Desk: inbox for administrators only', () => {
  test.each(['firma_a', 'firma_b', 'testnormec', 'vdi_admin', undefined, 'anon', 'service'] as const)(
    '%s is refused',
    async (who) => {
      const caller =
        who === 'anon'
          ? server.client()
          : who === 'service'
            ? server.service()
            : (await createUser(server, who === undefined ? {} : { role: who })).client;
      const calls: readonly (readonly [string, object])[] = [
        ['desk_inbox', { query: {} }],
        ['desk_contribution', { id: ids.video }],
        ['desk_change', { id: ids.video, version: 2, change: { note: 'x' } }],
        ['desk_colleagues', {}],
        ['desk_pulse', {}],
        ...(who === 'service' ? [] : [['desk_audit', { interview_id: ids.video, what: 'view' }] as const]),
      ];
      const before = (await ada.client.from('desk_audit_log').select('id')).data?.length;
      for (const [name, args] of calls) {
        const refused = await getRefusal(caller.rpc(name, args));
        expect([name, refused]).toEqual([name, { status: who === 'anon' ? 401 : 403, code: '42501' }]);
      }
      expect((await ada.client.from('desk_audit_log').select('id')).data).toHaveLength(before ?? -1);
    },
  );

  test('Refuses a revoked role at once', async () => {
    const former = await createUser(server, { role: 'admin' });
    expect((await inbox(former.client)).items).not.toEqual([]);
    await asOwner(server.databaseUrl, (client) =>
      client.query('delete from user_roles where user_id = $1', [former.id]),
    );
    expect(await getRefusal(former.client.rpc('desk_inbox'))).toEqual({ status: 403, code: '42501' });
  });

  test('Has the same kinds in contract and database', async () => {
    for (const kind of CONTRIBUTION_KINDS)
      expect(await getRefusal(ada.client.rpc('desk_inbox', { query: { kinds: [kind] } }))).toEqual({
        status: 200,
        code: undefined,
      });
  });
});
