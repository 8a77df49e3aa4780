import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstFiles } from './first-files.ts';

const WEB = '/somewhere/src/web';
const SCREENS = [
  'app/flow-route.tsx',
  'app/idle-warning.tsx',
  'app/leave-dialog.tsx',
  'app/media-upload-route.tsx',
  'app/navigation-parts.tsx',
  'app/new-count.tsx',
  'app/outbox-sender.tsx',
  'features/own-contributions/unfinished-section.tsx',
  'app/update-notice.tsx',
  'backend/connect.ts',
  'backend/other-logins.ts',
  'backend/sign-in.ts',
  'features/contributor-upload/index.tsx',
  'features/desk/index.tsx',
  'features/document-upload/index.tsx',
  'features/image-upload/index.tsx',
  'features/login/index.tsx',
  'features/review/done.tsx',
  'features/review/index.tsx',
  'features/review/list-evidence.ts',
  'features/review/pack-review.ts',
  'features/start/index.tsx',
  'features/thank-you/index.tsx',
  'features/transcript/index.tsx',
  'features/voice-message/index.ts',
  'features/voice-message/transcription/transcribe.ts',
  'submission/outbox/keeping.ts',
  'submission/sending.ts',
  'ui/toaster.tsx',
];
const TUS = '/somewhere/node_modules/tus-js-client/lib.esm/browser/index.js';
const VOICE = '/somewhere/node_modules/@elevenlabs/client/dist/index.js';
const SUPABASE = '/somewhere/node_modules/@supabase/auth-js/index.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-first-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Chunk = {
  type: 'chunk';
  fileName: string;
  facadeModuleId?: string;
  moduleIds: string[];
  imports: string[];
  code: string;
};

function makeChunk(fileName: string, moduleIds: string[], imports: string[] = [], code = ''): Chunk {
  return { type: 'chunk', fileName, moduleIds, imports, code };
}

/** One chunk for each module, and `others` of the guest's upload. */
function makeBundle(...others: Chunk[]) {
  const page = { type: 'asset', fileName: 'index.html', source: '<head></head>' };
  const entry = { ...makeChunk('assets/start.js', []), facadeModuleId: `${WEB}/index.html` };
  const screens = SCREENS.map((module) => {
    const guest = module === 'features/contributor-upload/index.tsx';
    return makeChunk(`assets/${module}.js`, [`${WEB}/${module}`], guest ? others.map(({ fileName }) => fileName) : []);
  });
  const all = [
    page,
    entry,
    ...screens,
    ...others,
    makeChunk('assets/tus.js', [TUS]),
    makeChunk('assets/voice.js', [VOICE]),
  ];
  return Object.fromEntries(all.map((output) => [output.fileName, output]));
}

const file = (): string => path.join(folder, 'first-files.json');

/** As the build calls it. */
function build(bundle: ReturnType<typeof makeBundle>): void {
  const { generateBundle } = firstFiles();
  const { handler } = generateBundle as unknown as { handler: (options: object, bundle: object) => void };
  handler({ dir: path.join(folder, 'web') }, bundle);
}

/** Random, so that gzip makes nothing of it smaller. */
const heavy = (kilobytes: number): string =>
  randomBytes(kilobytes * 512)
    .toString('hex')
    .slice(0, kilobytes * 1024);

describe('The files of the first screens (decisions 0284, 0305)', () => {
  it('are named by the address, those of later parts in the page', async () => {
    const bundle = makeBundle(makeChunk('assets/own.js', []));
    build(bundle);
    const files = JSON.parse(await readFile(file(), 'utf8')) as Record<string, string[]>;
    expect(files['upload']).toEqual([
      'assets/app/flow-route.tsx.js',
      'assets/features/contributor-upload/index.tsx.js',
      'assets/own.js',
    ]);
    expect(bundle['index.html']).toMatchObject({
      source: expect.stringContaining('<meta name="part:resumable" content="/assets/tus.js" />'),
    });
  });

  it("refuse a build whose guest's upload waits for the client", () => {
    expect(() => build(makeBundle(makeChunk('assets/client.js', [SUPABASE])))).toThrow(
      'upload waits for assets/client.js',
    );
  });

  it("refuse a build whose guest's upload weighs more than 120 kB as gzip", () => {
    // Hexadecimal digits hold half a byte each.
    expect(() => build(makeBundle(makeChunk('assets/own.js', [], [], heavy(200))))).not.toThrow();
    expect(() => build(makeBundle(makeChunk('assets/own.js', [], [], heavy(300))))).toThrow('at most 120');
  });
});
