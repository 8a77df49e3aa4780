import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

const FLOW = 'app/flow-route.tsx';
const MEDIA = [FLOW, 'app/media-upload-route.tsx'];

/** By the last part of the address: the modules of its first screen, each the entry of a chunk. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  // Who opens this has a session or will log in.
  '': ['features/start/index.tsx', 'app/navigation-parts.tsx', 'features/login/index.tsx'],
  login: ['features/login/index.tsx'],
  freigabe: ['features/review/index.tsx'],
  upload: [FLOW, 'features/contributor-upload/index.tsx'],
  eingang: ['app/navigation-parts.tsx', 'features/desk/index.tsx'],
  'voice-message': [FLOW, 'features/voice-message/index.ts'],
  'document-upload': [FLOW, 'features/document-upload/index.tsx'],
  'video-upload': MEDIA,
  'image-upload': MEDIA,
};

/** What the first screens do without, by the name that src/web/backend/later-part.ts knows it by. */
const LATER: Readonly<Record<string, string>> = {
  client: '/src/web/backend/connect.ts',
  sending: '/src/web/submission/sending.ts',
  outbox: '/src/web/submission/outbox/keeping.ts',
  resumable: '/node_modules/tus-js-client/lib.esm/browser/index.js',
  transcribing: '/src/web/features/voice-message/transcription/transcribe.ts',
  'transcript-edit': '/src/web/features/transcript/index.tsx',
  'image-upload-after-voice': '/src/web/features/image-upload/index.tsx',
  'thank-you': '/src/web/features/thank-you/index.tsx',
  'outbox-sender': '/src/web/app/outbox-sender.tsx',
  unfinished: '/src/web/features/own-contributions/unfinished-section.tsx',
  'new-count': '/src/web/app/new-count.tsx',
  'sign-in': '/src/web/backend/sign-in.ts',
  'other-logins': '/src/web/backend/other-logins.ts',
  'update-notice': '/src/web/app/update-notice.tsx',
  'voice-client': '/node_modules/@elevenlabs/client/dist/index.js',
  evidence: '/src/web/features/review/list-evidence.ts',
  'pack-review': '/src/web/features/review/pack-review.ts',
  toaster: '/src/web/ui/toaster.tsx',
  done: '/src/web/features/review/done.tsx',
  'spoken-words': '/src/web/features/voice-message/index.ts',
  'leave-dialog': '/src/web/app/leave-dialog.tsx',
  'idle-warning': '/src/web/app/idle-warning.tsx',
};

/** KiB of scripts and styles, as gzip, that a person without a login waits for on a phone's line. */
const MOST: Readonly<Record<string, number>> = { login: 110, freigabe: 120, upload: 120 };
/** These screens are there without them. */
const HEAVY = /\/node_modules\/(?:zod|@supabase|idb|tus-js-client)\//;
const KIBIBYTE = 1024;

/**
 * Writes for each address which files its first screen loads beside the entry's, `{ login: ['assets/…'] }`, into
 * `first-files.json` beside the folder of the build, and into the page which files each later part has. Refuses a build
 * whose first screens became heavy.
 */
export function firstFiles(): Plugin {
  return {
    name: 'first-files',
    generateBundle: {
      order: 'post',
      handler({ dir }, bundle) {
        const outputs = Object.values(bundle);
        const chunks = outputs.filter((output) => output.type === 'chunk');
        const entry = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/web/index.html'));
        if (entry === undefined) throw new Error('first-files: no chunk of index.html');
        const known = listFiles([entry], chunks);
        const list = (modules: readonly string[]): string[] =>
          [
            ...listFiles(
              modules.map((module) => findChunk(module, chunks)),
              chunks,
            ),
          ].filter((name) => !known.has(name));
        const files = mapValues(MODULES, (modules) => list(modules.map((module) => `/src/web/${module}`)));
        const styles = [...(entry.viteMetadata?.importedCss ?? [])];
        // On other processors zlib packs a little otherwise.
        for (const place of process.arch === 'x64' ? Object.keys(MOST) : [])
          requireLight(place, [...known, ...styles, ...(files[place] ?? [])], outputs);
        writeParts(
          bundle,
          mapValues(LATER, (module) => list([module])),
        );
        if (dir === undefined) throw new Error('first-files: no folder of the build');
        mkdirSync(path.dirname(dir), { recursive: true });
        writeFileSync(path.join(path.dirname(dir), 'first-files.json'), JSON.stringify(files));
      },
    },
  };
}

function mapValues<From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)])) as Record<string, To>;
}

function findChunk(module: string, chunks: readonly Rolldown.OutputChunk[]): Rolldown.OutputChunk {
  const found = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
  if (found === undefined) throw new Error(`first-files: no chunk has ${module}`);
  return found;
}

/** The files of these chunks and of everything that they import. */
function listFiles(
  roots: readonly Rolldown.OutputChunk[],
  chunks: readonly Rolldown.OutputChunk[],
): ReadonlySet<string> {
  const files = new Set(roots.map(({ fileName }) => fileName));
  for (const name of files) {
    for (const needed of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) files.add(needed);
  }
  return files;
}

type Output = Rolldown.OutputAsset | Rolldown.OutputChunk;

function requireLight(place: string, names: readonly string[], outputs: readonly Output[]): void {
  const files = outputs.filter(({ fileName }) => names.includes(fileName));
  const heavy = files.find((output) => output.type === 'chunk' && output.moduleIds.some((id) => HEAVY.test(id)));
  if (heavy !== undefined) throw new Error(`first-files: ${place} waits for ${heavy.fileName}`);
  const bytes = files.map((output) => gzipSync(output.type === 'chunk' ? output.code : output.source).length);
  const sum = bytes.reduce((total, one) => total + one, 0) / KIBIBYTE;
  const most = MOST[place] ?? 0;
  if (sum > most) throw new Error(`first-files: ${place} waits for ${sum.toFixed(1)} kB, at most ${most}`);
}

function writeParts(bundle: Rolldown.OutputBundle, parts: Readonly<Record<string, readonly string[]>>): void {
  const page = bundle['index.html'];
  if (page?.type !== 'asset') throw new Error('first-files: no index.html');
  const tags = Object.entries(parts).map(([name, files]) => {
    return `<meta name="part:${name}" content="${files.map((one) => `/${one}`).join(' ')}" />`;
  });
  page.source = String(page.source).replace('</head>', `${tags.join('')}</head>`);
}
