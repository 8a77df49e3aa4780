import { strict as assert } from 'node:assert';
import { anon, attempt, login } from '#tests/support/callers.ts';
import { SAVE_CONTACT } from '#tests/support/factories.ts';
import { answer, boundId, getMember, getValues, mustBeRefused, mustWork, type Rule, type Scene } from './rules.ts';

const ACCEPT = 'public.accept_consent(bigint,text)';
const REQUIRE = 'private.require_consent(text)';
const CHECK = 'private.check_consent()';

async function require(scene: Scene, text: string | null): Promise<string> {
  await mustWork(scene.owner('select private.require_consent($1)', [text]));
  const [version] = await getValues(scene, 'select version as value from private.consent_texts where required');
  return String(version);
}

const accept = (scene: Scene, version: string, caller = anon(scene.fixture.key)) =>
  answer(scene, 'select accept_consent($1, $2) as value', [boundId(scene), version], caller);

const save = (scene: Scene) => attempt(scene.database, anon(scene.fixture.key), SAVE_CONTACT, [boundId(scene)]);

export const CONSENT_RULES: readonly Rule[] = [
  {
    name: 'Consent: contact details are taken with it only, where a text is required (0267)',
    about: [ACCEPT, REQUIRE, CHECK, 'public.interviews', 'private.consents', 'private.consent_texts'],
    check: async (scene) => {
      await require(scene, 'Eine andere Fassung.');
      const version = await require(scene, 'Ich stimme zu.');
      // What somebody else has agreed to is no consent of this contributor.
      const others = `insert into private.consents (interview_id, version)
        select id, $1 from public.interviews where id <> $2 limit 1`;
      const other = await mustWork(scene.owner(others, [version, boundId(scene)]));
      assert.equal(other.count, 1);
      await mustBeRefused(save(scene), 'PT422');
      assert.equal(await accept(scene, version), true);
      assert.equal(await accept(scene, version), true);
      await mustWork(save(scene));
      const sql = `select one - 'acceptedAt' as value from jsonb_array_elements(private.consents_of($1)) as one`;
      const kept = await getValues(scene, sql, [boundId(scene)]);
      assert.deepEqual(kept, [{ version, text: 'Ich stimme zu.' }]);
    },
  },
  {
    name: 'Consent: a name alone is a contact detail (0267)',
    about: [CHECK, 'public.interviews'],
    check: async (scene) => {
      const version = await require(scene, 'Ich stimme zu.');
      const caller = anon(scene.fixture.key);
      const names = ['contact_first_name', 'contact_last_name'];
      const write = (name: string) =>
        attempt(scene.database, caller, `update interviews set ${name} = 'Ada' where id = $1`, [boundId(scene)]);
      for (const name of names) await mustBeRefused(write(name), 'PT422');
      await mustBeRefused(
        attempt(
          scene.database,
          anon(crypto.randomUUID()),
          `insert into interviews (contact_last_name) values ('L')`,
          [],
        ),
        'PT422',
      );
      // What else a contribution holds needs none.
      await mustWork(
        attempt(scene.database, caller, `update interviews set transcript = 'Die Pumpe.' where id = $1`, [
          boundId(scene),
        ]),
      );
      assert.equal(await accept(scene, version), true);
      for (const name of names) await mustWork(write(name));
    },
  },
  {
    name: 'Consent: an earlier text counts, an unknown one does not, and none is needed where none is required (0267)',
    about: [ACCEPT, REQUIRE, CHECK],
    check: async (scene) => {
      const earlier = await require(scene, 'Die erste Fassung.');
      const later = await require(scene, 'Die zweite Fassung.');
      assert.notEqual(earlier, later);
      await mustBeRefused(
        attempt(scene.database, anon(scene.fixture.key), 'select accept_consent($1, $2)', [
          boundId(scene),
          'f'.repeat(64),
        ]),
        '22023',
      );
      await mustBeRefused(save(scene), 'PT422');
      assert.equal(await accept(scene, earlier), true);
      await mustWork(save(scene));
      assert.equal(await require(scene, 'Die erste Fassung.'), earlier);
      const known = await getValues(scene, 'select count(*)::int as value from private.consent_texts');
      assert.deepEqual(known, [2]);
    },
  },
  {
    name: 'Consent: the owner, who imports contributions, is not asked (0267)',
    about: [CHECK],
    check: async (scene) => {
      await require(scene, 'Ich stimme zu.');
      await mustWork(scene.owner(SAVE_CONTACT, [boundId(scene)]));
    },
  },
  {
    name: 'Consent: switched off, nothing is asked (0267)',
    about: [REQUIRE, CHECK],
    check: async (scene) => {
      await require(scene, 'Ich stimme zu.');
      await require(scene, null);
      await mustWork(save(scene));
    },
  },
  {
    name: 'Consent: only for a contribution that the caller may still write (0267)',
    about: [ACCEPT],
    check: async (scene) => {
      const version = await require(scene, 'Ich stimme zu.');
      for (const caller of [anon(), login(getMember(scene, 'firma_b')), login(scene.fixture.nobody)])
        assert.equal(await accept(scene, version, caller), false);
      await mustBeRefused(save(scene), 'PT422');
      assert.equal(await accept(scene, version), true);
      await mustWork(save(scene));
      assert.equal(await accept(scene, version), false);
    },
  },
  {
    name: 'Consent: nobody reads or writes the tables themselves (0267)',
    about: ['private.consents', 'private.consent_texts'],
    check: async (scene) => {
      for (const caller of [anon(scene.fixture.key), login(getMember(scene, 'admin'))])
        for (const table of ['consents', 'consent_texts'])
          await mustBeRefused(attempt(scene.database, caller, `select * from private.${table}`, []), '42501');
    },
  },
];
