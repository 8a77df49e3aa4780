import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { afterAll, expect, test, vi } from 'vitest';
import { ENV_NAMES, readEnv } from '../env.ts';
import { listSecrets } from './check-errors.ts';
import { describeParts } from './describe-parts.ts';

// A mock of the module would miss code that an earlier test file has already loaded.
const statfs = vi.spyOn(files, 'statfs');
syncBuiltinESMExports();
afterAll(() => {
  statfs.mockRestore();
  syncBuiltinESMExports();
});

const S3 = { S3_BUCKET: 'media', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' };
const HOSTED = { SUPABASE_URL: 'https://project.example', SUPABASE_KEY: 'key' };

test.each([
  ['disk', {}, 'broken'],
  ['s3', S3, 'ready'],
  ['hosted', HOSTED, 'ready'],
] as const)(
  'A full data folder refuses the uploads to %s alone that lie there (einrichtung)',
  async (kind, given, state) => {
    const env = readEnv({ DATA_DIR: '/srv/full', ...given });
    statfs.mockImplementation(async (place) => {
      return { bavail: place === env.DATA_DIR ? 1 : 900_000, blocks: 1_000_000, bsize: 4_096 } as never;
    });
    const deps = {
      env,
      serviceKey: 'key',
      findTranscription: async () => 'nothing' as const,
      findVoiceEngine: () => 'text' as const,
      readBackups: async () => ({ last: null, failed: null }),
      readDatabaseVersion: undefined,
    };
    const { storage } = await describeParts(deps, () => ({ isChecking: false, check: null }));
    expect(storage).toMatchObject({ kind, state });
    expect(statfs.mock.lastCall?.[0]).toBe(kind === 's3' ? tmpdir() : env.DATA_DIR);
  },
);

test('A percent sign that encodes nothing does not stop the start: the secret is the password as it stands', () => {
  const env = readEnv({ DATABASE_URL: 'postgres://mira:100%@db.test/beitrag' });
  expect(listSecrets(env)).toContain('100%');
});

test.each(ENV_NAMES.filter((name) => /_(?:KEY|KEY_ID|PASSWORD|SECRET|TOKEN)$/.test(name)))(
  'No check repeats %s: it stands in SECRET_VARIABLES (einrichtung)',
  (name) => {
    expect(listSecrets({ ...readEnv({}), [name]: 'geheim' })).toEqual(['geheim']);
  },
);
