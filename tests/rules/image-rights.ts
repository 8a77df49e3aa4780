import { strict as assert } from 'node:assert';
import { anon, attempt, login } from '#tests/support/callers.ts';
import { SAVE_CONTACT } from '#tests/support/factories.ts';
import {
  answer,
  boundId,
  getAdmin,
  getMember,
  getValues,
  must,
  mustBeRefused,
  mustWork,
  type Rule,
  type Scene,
} from './rules.ts';

const ANSWER = 'public.answer_image_rights(text,text)';
const DESK = 'public.desk_image_rights(bigint,text)';

/** Registers a picture with the key of the contribution. */
async function register(scene: Scene, rights: string | null = 'unknown'): Promise<string> {
  const path = `${boundId(scene)}/9_a.png`;
  const sql = `insert into media_uploads (interview_id, file_path, file_type, image_rights) values ($1, $2, 'image/png', $3)`;
  await mustWork(attempt(scene.database, anon(scene.fixture.key), sql, [boundId(scene), path, rights]));
  return path;
}

const readRights = (scene: Scene, path: string) =>
  getValues(scene, 'select image_rights as value from media_uploads where file_path = $1', [path]);

const tell = (scene: Scene, path: string, rights: string, caller = anon(scene.fixture.key)) =>
  answer(scene, 'select answer_image_rights($1, $2) as value', [path, rights], caller);

export const IMAGE_RIGHTS_RULES: readonly Rule[] = [
  {
    name: 'Image rights: the bearer of the key changes the answer until the contact details are saved (image rights)',
    about: [ANSWER, 'public.media_uploads'],
    check: async (scene) => {
      const path = await register(scene);
      assert.equal(await tell(scene, path, 'agreed'), true);
      assert.deepEqual(await readRights(scene, path), ['agreed']);
      for (const caller of [anon(), login(getMember(scene, 'firma_b')), login(scene.fixture.nobody)])
        assert.equal(await tell(scene, path, 'nobody', caller), false);
      await mustBeRefused(
        attempt(scene.database, anon(scene.fixture.key), 'select answer_image_rights($1, $2)', [path, 'perhaps']),
        '23514',
      );
      await mustWork(attempt(scene.database, anon(scene.fixture.key), SAVE_CONTACT, [boundId(scene)]));
      assert.equal(await tell(scene, path, 'nobody'), false);
      assert.deepEqual(await readRights(scene, path), ['agreed']);
    },
  },
  {
    name: 'Image rights: an answer waits for no other file, and that of a stranger for none (image rights)',
    about: [ANSWER],
    watches: 'these',
    check: async (scene) => {
      const path = await register(scene);
      await scene.elsewhere(async (other) => {
        await other.query('begin');
        const held = await other.query<{ file_path: string }>('select file_path from media_uploads for update');
        await must(scene, `set local lock_timeout = '100ms'`);
        assert.equal(await tell(scene, path, 'agreed'), true);
        const taken = held.rows.find(({ file_path: name }) => name.startsWith(`${boundId(scene)}/`))?.file_path ?? '';
        assert.notEqual(taken, '');
        assert.equal(await tell(scene, taken, 'nobody', login(scene.fixture.nobody)), false);
      });
    },
  },
  {
    name: 'Image rights: an answer is about one file of the contribution that its path names (image rights)',
    about: [ANSWER],
    check: async (scene) => {
      const path = await register(scene);
      const other = `${boundId(scene)}/9_b.png`;
      await must(
        scene,
        `insert into media_uploads (interview_id, file_path, file_type, image_rights) values ($1, $2, 'image/png', 'unknown')`,
        [boundId(scene), other],
      );
      assert.equal(await tell(scene, path, 'nobody'), true);
      assert.deepEqual(await readRights(scene, other), ['unknown']);
      assert.equal(await tell(scene, `${boundId(scene)}/9_c.png`, 'nobody'), false);
    },
  },
  {
    name: 'Image rights: admins alone answer at the desk, each change with a line in the audit log (image rights)',
    about: [DESK, 'private.is_audit_detail(jsonb)', 'private.desk_files_of(bigint)'],
    check: async (scene) => {
      await register(scene);
      const [id] = await getValues(
        scene,
        `select id::int as value from media_uploads where file_path like '%/9_a.png'`,
      );
      const ask = 'select desk_image_rights($1, $2) as value';
      const admin = login(getAdmin(scene));
      for (const caller of [anon(scene.fixture.key), login(getMember(scene, 'vdi_admin'))])
        await mustBeRefused(attempt(scene.database, caller, ask, [id, 'agreed']));
      for (const [file, rights, code] of [
        [id, 'perhaps', '22023'],
        [id, null, '22023'],
        [999_999, 'agreed', 'PT404'],
      ] as const)
        await mustBeRefused(attempt(scene.database, admin, ask, [file, rights]), code);
      const whole = (await answer(scene, ask, [id, 'agreed'], admin)) as { id: number; fileList: unknown[] };
      assert.equal(whole.id, boundId(scene));
      assert.deepEqual(
        whole.fileList.map((file) => (file as { imageRights: unknown }).imageRights).filter((one) => one !== null),
        ['agreed'],
      );
      await answer(scene, ask, [id, 'agreed'], admin);
      const log = await getValues(
        scene,
        `select jsonb_build_array(by, interview_id, detail) as value from desk_audit_log where what = 'image_rights'`,
      );
      assert.deepEqual(log, [[getAdmin(scene).id, boundId(scene), { file: id, from: 'unknown', to: 'agreed' }]]);
    },
  },
];
