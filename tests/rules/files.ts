import { strict as assert } from 'node:assert';
import { anon, attempt, login, newKey } from '#tests/support/callers.ts';
import { SAVE_CONTACT } from '#tests/support/factories.ts';
import { getId, getMember, mustBeRefused, mustWork, answer, type Rule, type Scene } from './rules.ts';

const OBJECTS = ['storage.objects', 'private.is_writable_interview(bigint)', 'private.is_my_interview(bigint)'];
const PATHS = ['private.interview_of_path(text)', 'public.media_uploads', 'storage.objects'];

const store = (scene: Scene, caller: Parameters<typeof attempt>[1], bucket: string, name: string) =>
  attempt(scene.database, caller, 'insert into storage.objects (bucket_id, name) values ($1, $2)', [bucket, name]);

async function callers(scene: Scene) {
  const { key, contributions } = scene.fixture;
  const member = getMember(scene, 'firma_a');
  return {
    key: anon(key),
    member: login(member),
    admin: login(getMember(scene, 'admin')),
    bound: getId(contributions, 'bound'),
    own: getId(contributions, member.id),
    foreign: getId(contributions, 'foreign'),
  };
}

export const FILE_RULES: readonly Rule[] = [
  {
    name: 'Files: in another bucket they are neither read, written nor overwritten (§3)',
    about: OBJECTS,
    check: async (scene) => {
      const { key, admin, bound } = await callers(scene);
      await mustBeRefused(store(scene, key, 'Anderer', `${bound}/9_a.png`));
      await mustWork(
        scene.owner(`insert into storage.objects (bucket_id, name) values ('Anderer', $1)`, [`${bound}/9_a.png`]),
      );
      const inOther = `from storage.objects where bucket_id = 'Anderer'`;
      assert.equal((await mustWork(attempt(scene.database, key, `select ${inOther}`))).count, 0);
      assert.equal((await mustWork(attempt(scene.database, admin, `select ${inOther}`))).count, 0);
      const all = `update storage.objects set user_metadata = '{}'`;
      const changed = (await mustWork(attempt(scene.database, key, all))).count;
      assert.equal(changed, 1);
    },
  },
  {
    name: 'Files: a change that names none reaches only what the caller may write (§3)',
    about: OBJECTS,
    check: async (scene) => {
      const { member, admin } = await callers(scene);
      const all = `update storage.objects set user_metadata = '{}'`;
      assert.equal((await mustWork(attempt(scene.database, member, all))).count, 1);
      assert.equal((await mustWork(attempt(scene.database, admin, all))).count, 1);
      assert.equal((await mustWork(attempt(scene.database, anon(), all))).count, 0);
      assert.equal((await mustWork(attempt(scene.database, login(scene.fixture.nobody), all))).count, 0);
    },
  },
  {
    name: 'Files: after the contact details a key reads and writes no more, a member does (§2.11)',
    about: OBJECTS,
    check: async (scene) => {
      const { key, member, bound, own } = await callers(scene);
      await mustWork(attempt(scene.database, key, SAVE_CONTACT, [bound]));
      await mustWork(attempt(scene.database, member, SAVE_CONTACT, [own]));
      await mustBeRefused(store(scene, key, 'Media', `${bound}/9_a.png`));
      const change = `update storage.objects set user_metadata = '{}'`;
      assert.equal((await mustWork(attempt(scene.database, key, change))).count, 0);
      assert.equal((await mustWork(attempt(scene.database, key, 'select from storage.objects'))).count, 1);
      await mustWork(store(scene, member, 'Media', `${own}/9_a.png`));
    },
  },
  {
    name: 'Files: a key bound to a member’s contribution does not write after its contact details (§2.11)',
    about: OBJECTS,
    check: async (scene) => {
      const { own, member } = await callers(scene);
      const shared = newKey();
      const bind = `insert into private.interview_keys (key_hash, interview_id)
        values (sha256(convert_to($1, 'UTF8')), $2)`;
      await mustWork(scene.owner(bind, [shared, own]));
      await mustWork(store(scene, anon(shared), 'Media', `${own}/8_a.png`));
      await mustWork(attempt(scene.database, member, SAVE_CONTACT, [own]));
      await mustBeRefused(store(scene, anon(shared), 'Media', `${own}/9_a.png`));
      await mustBeRefused(store(scene, login(scene.fixture.nobody, shared), 'Media', `${own}/9_a.png`));
    },
  },
  {
    name: 'Files: another contribution’s folder is closed to a key and a member (§3)',
    about: OBJECTS,
    check: async (scene) => {
      const { key, member, foreign } = await callers(scene);
      await mustBeRefused(store(scene, key, 'Media', `${foreign}/9_a.png`));
      await mustBeRefused(store(scene, member, 'Media', `${foreign}/9_a.png`));
      await mustBeRefused(store(scene, anon(), 'Media', `${foreign}/9_a.png`));
    },
  },
  {
    name: 'Files: an account whose role was taken away writes nothing to its contribution (D14)',
    about: OBJECTS,
    check: async (scene) => {
      const { own } = await callers(scene);
      const { nobody } = scene.fixture;
      await mustWork(scene.owner('update public.interviews set user_id = $1 where id = $2', [nobody.id, own]));
      await mustBeRefused(store(scene, login(nobody), 'Media', `${own}/9_a.png`));
      const register = `insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, 'image/png')`;
      await mustBeRefused(attempt(scene.database, login(nobody), register, [own, `${own}/9_a.png`]));
    },
  },
  {
    name: 'Files: what belongs to no contribution is read by administrators alone (D11)',
    about: OBJECTS,
    check: async (scene) => {
      const { key, member, admin } = await callers(scene);
      const left = '999999/9_a.png';
      await mustWork(scene.owner(`insert into storage.objects (bucket_id, name) values ('Media', $1)`, [left]));
      const find = (caller: Parameters<typeof attempt>[1]) =>
        attempt(scene.database, caller, 'select from storage.objects where name = $1', [left]);
      assert.equal((await mustWork(find(admin))).count, 1);
      for (const other of [key, member, anon()]) assert.equal((await mustWork(find(other))).count, 0);
    },
  },
  {
    name: 'Files: odd names belong to no contribution (§3)',
    about: PATHS,
    check: async (scene) => {
      const { key, bound } = await callers(scene);
      const odd = [
        `${bound}/.a`,
        `${bound}/a/b.png`,
        `${bound}/ä.png`,
        `0${bound}/a.png`,
        `${bound}`,
        `${bound}/${'a'.repeat(201)}`,
      ];
      for (const name of odd) await mustBeRefused(store(scene, key, 'Media', name));
      const register = `insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, 'image/png')`;
      await mustBeRefused(attempt(scene.database, key, register, [bound, `${bound}/.a`]));
      await mustWork(attempt(scene.database, key, register, [bound, `${bound}/9_a.png`]));
    },
  },
  {
    name: 'Files: the bucket Media is seen, another one is not (D11)',
    about: ['storage.buckets'],
    check: async (scene) => {
      const { key, admin } = await callers(scene);
      for (const caller of [key, admin]) {
        const seen = await mustWork(attempt(scene.database, caller, 'select id from storage.buckets'));
        assert.deepEqual(seen.rows, [{ id: 'Media' }]);
      }
      assert.equal(await answer(scene, `select public as value from storage.buckets where id = 'Media'`), false);
    },
  },
];
