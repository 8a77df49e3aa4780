import { strict as assert } from 'node:assert';
import type { CallerContext } from '#backend/database/index.ts';
import { anon, attempt, login, newKey, type Outcome } from '#tests/support/callers.ts';
import {
  answer,
  boundId,
  getId,
  getMember,
  must,
  mustBeRefused,
  mustWork,
  getValues,
  withHeaders,
  type Rule,
  type Scene,
} from './rules.ts';

const ABOUT = [
  'storage.objects',
  'keep_upload_quota',
  'private.keep_upload_quota()',
  'private.within_upload_quota(text,jsonb)',
  'private.bytes_of(jsonb)',
  'reserve_upload',
  'private.reserve_upload()',
  'private.contribution_with_quota(text)',
  'private.uploads_beside(bigint,text,text)',
  'private.count_upload(bigint,text,text,bigint,integer)',
];

const quota = (scene: Scene, files: number, bytes = 1000, networkFiles = 1000, networkBytes = 1000) =>
  must(scene, 'select private.configure_uploads($1, $2, $3, $4)', [files, bytes, networkFiles, networkBytes]);

/** The storage service says the caller’s network; a hosted one does not. */
const from = (caller: CallerContext, network: string): CallerContext => ({
  ...caller,
  settings: { 'storage.caller_network': network },
});

function store(
  scene: Scene,
  caller: CallerContext,
  name: string,
  metadata: unknown = {},
  version?: string,
  bucket = 'Media',
): Promise<Outcome> {
  const sql = `insert into storage.objects (bucket_id, name, metadata, version) values ($4, $1, $2, $3)`;
  return attempt(scene.database, caller, sql, [name, JSON.stringify(metadata), version, bucket]);
}

/** What the embedded storage service writes before a resumable upload's first byte, as the owner. */
function begin(scene: Scene, network: string, version: string, name: string, bytes = 0): Promise<Outcome> {
  const sql = `insert into _backend.partial_uploads (bucket_id, version, name, bytes)
    select 'Media', $2, $3, $4 from set_config('storage.caller_network', $1, true)`;
  return scene.owner(sql, [network, version, name, bytes]);
}

const volumes = (scene: Scene) =>
  getValues(scene, 'select jsonb_build_array(files, bytes) as value from private.upload_volumes order by files, bytes');

export const UPLOAD_RULES: readonly Rule[] = [
  {
    name: 'Uploads: a guest’s contribution holds so many files, a member’s more (D19)',
    about: ABOUT,
    check: async (scene) => {
      const [guest, id] = [anon(scene.fixture.key), boundId(scene)];
      await quota(scene, 2);
      await must(scene, `insert into storage.objects (bucket_id, name) values ('Anderer', $1), ('Anderer', $2)`, [
        `${id}/8_a.png`,
        `${id}/9_a.png`,
      ]);
      await mustWork(store(scene, guest, `${id}/2_a.png`));
      await mustBeRefused(store(scene, guest, `${id}/3_a.png`));
      const member = getMember(scene, 'firma_a');
      const own = getId(scene.fixture.contributions, member.id);
      for (const n of [2, 3, 4]) await mustWork(store(scene, from(login(member), 'a'), `${own}/${n}_a.png`));
      assert.deepEqual(await volumes(scene), []);
      // Another contribution of the same key.
      await mustWork(store(scene, guest, `${getId(scene.fixture.bare, 'bound')}/2_a.png`));
      // A file that is there does not count beside itself.
      const again = 'select private.within_upload_quota($1, $2) as value';
      assert.equal(await answer(scene, again, [`${id}/2_a.png`, '{}']), true);
      assert.equal(await answer(scene, again, [`${id}/3_a.png`, '{}']), false);
    },
  },
  {
    name: 'Uploads: a guest’s contribution holds so many bytes, stored or announced (D19)',
    about: ABOUT,
    check: async (scene) => {
      const [guest, id] = [anon(scene.fixture.key), boundId(scene)];
      await quota(scene, 100, 20);
      await mustBeRefused(store(scene, guest, `${id}/2_a.png`, { contentLength: 21 }));
      await mustWork(store(scene, guest, `${id}/2_a.png`, { size: 15 }));
      await mustBeRefused(store(scene, guest, `${id}/3_a.png`, { size: 6 }));
      await mustWork(store(scene, guest, `${id}/3_a.png`, { contentLength: 5 }));
    },
  },
  {
    name: 'Uploads: a file that is moved counts where it comes to, with a key and with a login (D19)',
    about: [
      'storage.objects',
      'guests keep to their quota when they move files',
      'private.within_quota_after_move(uuid,text,jsonb)',
      'private.within_upload_quota(text,jsonb)',
    ],
    check: async (scene) => {
      const [guest, id] = [anon(scene.fixture.key), boundId(scene)];
      const more = getId(scene.fixture.bare, 'bound');
      const move = (from: string, to: string, caller = guest): Promise<Outcome> =>
        attempt(scene.database, caller, 'update storage.objects set name = $2 where name = $1', [from, to]);
      await quota(scene, 2, 20);
      await mustWork(store(scene, guest, `${id}/2_a.png`, { size: 15 }));
      await mustWork(store(scene, guest, `${more}/2_a.png`, { size: 6 }));
      await mustBeRefused(move(`${more}/2_a.png`, `${id}/3_a.png`));
      // As from a bucket that an operator has opened besides, though in a folder of the same name.
      await must(scene, `create policy others on storage.objects for all to anon using (bucket_id = 'Anderer')`);
      await mustWork(store(scene, guest, `${id}/5_a.png`, { size: 1 }, undefined, 'Anderer'));
      const bring = `update storage.objects set bucket_id = 'Media' where bucket_id = 'Anderer' and name = $1`;
      await mustBeRefused(attempt(scene.database, guest, bring, [`${id}/5_a.png`]));
      // The other way round there is no room for its bytes.
      await mustBeRefused(move(`${id}/2_a.png`, `${more}/3_a.png`));
      await mustWork(move(`${id}/2_a.png`, `${id}/4_a.png`));
      await must(scene, 'delete from storage.objects where name = $1', [`${id}/4_a.png`]);
      await mustWork(move(`${more}/2_a.png`, `${id}/3_a.png`));
      // What a login handed in has no quota, but what it is moved to.
      const member = getMember(scene, 'firma_a');
      const own = getId(scene.fixture.contributions, member.id);
      await mustWork(store(scene, login(member), `${own}/2_a.png`, { size: 1 }));
      await mustBeRefused(move(`${own}/2_a.png`, `${id}/5_a.png`, login(member, scene.fixture.key)));
      await mustWork(move(`${own}/2_a.png`, `${own}/3_a.png`, login(member)));
    },
  },
  {
    name: 'Uploads: a network brings so many files and bytes a day, of guests (D19)',
    about: ABOUT,
    check: async (scene) => {
      const [guest, id] = [anon(scene.fixture.key), boundId(scene)];
      const yesterday = `insert into private.upload_volumes
        values (current_date - 1, '', 8, 8), (current_date, '', 9, 9)`;
      await must(scene, yesterday);
      await quota(scene, 100, 1000, 2, 20);
      await mustBeRefused(store(scene, from(guest, 'a'), `${id}/2_a.png`, { size: 21 }), '53400');
      await mustWork(store(scene, from(guest, 'a'), `${id}/3_a.png`, { size: 1 }));
      await mustWork(store(scene, from(guest, 'a'), `${id}/4_a.png`, { size: 2 }));
      await mustBeRefused(store(scene, from(guest, 'a'), `${id}/5_a.png`), '53400');
      await mustWork(store(scene, from(guest, 'b'), `${id}/6_a.png`));
      await mustWork(store(scene, guest, `${id}/7_a.png`));
      assert.deepEqual(await volumes(scene), [
        [1, 0],
        [2, 3],
        [9, 9],
      ]);
      await quota(scene, 3, 1000, 9, 1000);
      await mustBeRefused(store(scene, from(guest, 'c'), `${id}/8_a.png`), '53400');
    },
  },
  {
    name: 'Uploads: what is under way counts for its contribution until it ends (D19)',
    about: ABOUT,
    check: async (scene) => {
      const [guest, id] = [from(anon(scene.fixture.key), 'a'), boundId(scene)];
      await quota(scene, 3, 20);
      // Other buckets, and the service, which names no network, have no quota.
      const elsewhere = `insert into _backend.partial_uploads (bucket_id, version, name, bytes)
        select 'Anderer', $1, $2, 99 from set_config('storage.caller_network', 'a', true)`;
      await must(scene, elsewhere, ['v0', `${id}/2_a.png`]);
      const files = `insert into storage.objects (bucket_id, name, metadata)
        values ('Anderer', $1, '{"size": 99}'), ('Media', '0/9_a.png', '{"size": 99}')`;
      await must(scene, files, [`${id}/9_a.png`]);
      for (const name of ['0/2_a.png', 'z/2_a.png']) await mustWork(begin(scene, '', name, name, 99));
      await mustBeRefused(begin(scene, 'a', 'v1', `${id}/2_a.png`, 21), '53400');
      await mustWork(begin(scene, 'a', 'v1', `${id}/2_a.png`, 15));
      await mustBeRefused(begin(scene, 'a', 'v2', `${id}/2_a.png`, 6), '53400');
      await mustBeRefused(store(scene, guest, `${id}/2_a.png`, { size: 6 }), '53400');
      await mustWork(store(scene, guest, `${id}/2_a.png`, { size: 15 }, 'v1'));
      await must(scene, `delete from storage.objects where version = 'v1'`);
      await mustWork(store(scene, guest, `${id}/3_a.png`, { size: 5 }));
      await mustBeRefused(begin(scene, 'a', 'v3', `${id}/4_a.png`), '53400');
      // What is stored under the same name gives way.
      await mustWork(begin(scene, 'a', 'v3', `${id}/3_a.png`, 5));
      await must(scene, `delete from _backend.partial_uploads where version = 'v3'`);
      await mustBeRefused(store(scene, guest, `${id}/4_a.png`), '53400');
      const resumable = { ...guest, settings: { ...guest.settings, 'storage.resumable': 'true' } };
      await mustWork(store(scene, resumable, `${id}/5_a.png`, { size: 15 }));
      await mustBeRefused(store(scene, resumable, `${id}/6_a.png`), '53400');
      await must(scene, `delete from storage.objects where name = $1`, [`${id}/5_a.png`]);
      await must(scene, `delete from _backend.partial_uploads where version = 'v1'`);
      await mustWork(store(scene, guest, `${id}/2_a.png`, { size: 15 }));
      await mustWork(begin(scene, '', 'v4', `${id}/7_a.png`, 99));
      const own = getId(scene.fixture.contributions, getMember(scene, 'firma_a').id);
      for (const n of [1, 2, 3]) await mustWork(begin(scene, 'a', `m${n}`, `${own}/${n}_a.png`, 99));
    },
  },
  {
    name: 'Uploads: what is under way counts for its network (D19)',
    about: ABOUT,
    check: async (scene) => {
      const [guest, id] = [anon(scene.fixture.key), boundId(scene)];
      const bare = getId(scene.fixture.bare, 'bound');
      await quota(scene, 100, 1000, 2, 20);
      await mustBeRefused(begin(scene, 'a', 'v1', `${id}/2_a.png`, 21), '53400');
      await mustWork(begin(scene, 'a', 'v1', `${id}/2_a.png`, 15));
      await mustBeRefused(begin(scene, 'a', 'v2', `${bare}/2_a.png`, 6), '53400');
      await mustBeRefused(store(scene, from(guest, 'a'), `${bare}/2_a.png`, { size: 6 }), '53400');
      await mustWork(begin(scene, 'b', 'v3', `${bare}/2_a.png`, 6));
      await mustWork(store(scene, from(guest, 'a'), `${bare}/3_a.png`, { size: 5 }));
      await mustBeRefused(begin(scene, 'a', 'v4', `${id}/4_a.png`), '53400');
      await mustBeRefused(store(scene, from(guest, 'a'), `${id}/4_a.png`), '53400');
      assert.deepEqual(await volumes(scene), [
        [0, 0],
        [1, 5],
      ]);
      // Its own beginning, which goes after it, counts no second time.
      await mustWork(store(scene, from(guest, 'a'), `${id}/2_a.png`, { size: 15 }, 'v1'));
      await must(scene, `delete from storage.objects where version = 'v1'`);
      await must(scene, `delete from _backend.partial_uploads where version = 'v1'`);
      await must(scene, 'update private.upload_volumes set files = 1, bytes = 5 where files = 2');
      await mustWork(store(scene, from(guest, 'a'), `${id}/2_a.png`, { size: 15 }));
    },
  },
  {
    name: 'Uploads: a network is counted under a key, which stays until the day has ended (D19)',
    about: [...ABOUT, 'private.hash_network(text)', 'private.forget_networks()'],
    check: async (scene) => {
      await must(scene, 'delete from private.network_counts');
      await mustWork(store(scene, from(anon(scene.fixture.key), 'a'), `${boundId(scene)}/2_a.png`));
      const isKeyed = `select network_hash = (select sha256(key || 'a') from private.network_key) as value
        from private.upload_volumes`;
      assert.equal(await answer(scene, isKeyed), true);
      const keys = async (madeAgo: string): Promise<unknown> => {
        await must(scene, 'update private.network_key set made_at = now() - $1::interval', [madeAgo]);
        await must(scene, 'select private.forget_networks()');
        return answer(scene, 'select count(*)::int as value from private.network_key');
      };
      assert.equal(await keys('2 hours'), 1);
      await must(scene, 'update private.upload_volumes set day = current_date - 1');
      assert.equal(await keys('2 hours'), 0);
      assert.deepEqual(await volumes(scene), []);
    },
  },
  {
    name: 'Uploads: the day of a network is one of UTC, whatever time zone a request names (D19)',
    about: [...ABOUT, 'private.forget_networks()'],
    check: async (scene) => {
      const guest = from(anon(scene.fixture.key), 'a');
      await mustWork(store(scene, guest, `${boundId(scene)}/2_a.png`));
      // Two days ahead of UTC, so that it is another day at any time; names of zones reach 14 hours.
      const elsewhere = { timezone: '<+48>-48' };
      await must(scene, 'delete from private.network_counts');
      const other = withHeaders(anon(newKey()), { 'x-forwarded-for': '192.0.2.1' });
      await mustWork(
        attempt(scene.database, { ...other, settings: elsewhere }, 'insert into interviews (transcript) values (null)'),
      );
      assert.deepEqual(await volumes(scene), [[1, 0]]);
      const there = { ...guest, settings: { ...guest.settings, ...elsewhere } };
      await mustWork(store(scene, there, `${boundId(scene)}/3_a.png`));
      assert.deepEqual(await volumes(scene), [[2, 0]]);
    },
  },
  {
    name: 'Uploads: a quota is a positive number (D19)',
    about: ['private.configure_uploads(bigint,bigint,bigint,bigint)'],
    check: async (scene) => {
      await mustBeRefused(scene.owner('select private.configure_uploads(1, 1, 1, 0)'), '22023');
      await mustBeRefused(scene.owner('select private.configure_uploads(0, 1, 1, 1)'), '22023');
    },
  },
];
