import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin, Rolldown } from 'vite';

const FLOW = ['app/flow-route.tsx', 'backend/client.ts'];
const MEDIA = [...FLOW, 'app/media-upload-route.tsx'];

/** By the last part of the address: the modules of its first screen, each the entry of a chunk. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  login: ['features/login/index.ts'],
  freigabe: ['features/review/index.ts'],
  upload: [...FLOW, 'features/contributor-upload/index.ts'],
  'voice-message': [...FLOW, 'features/voice-message/index.ts'],
  'document-upload': [...FLOW, 'features/document-upload/index.ts'],
  'video-upload': MEDIA,
  'image-upload': MEDIA,
};

/** Screens that are there without them: a person waits for these pages on a phone's line. */
const LIGHT: readonly string[] = ['login', 'freigabe'];
const HEAVY = /\/node_modules\/(?:zod|@supabase)\//;

/** Writes for each address which files its first screen loads beside the entry's: `{ login: ['assets/…'] }`. */
export function firstFiles(file: string): Plugin {
  return {
    name: 'first-files',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
      const entry = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/index.html'));
      const known = listFiles(entry === undefined ? [] : [entry], chunks);
      const list = (modules: readonly string[]): string[] => {
        const roots = modules.map((module) => {
          const found = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/src/web/${module}`)));
          if (found === undefined) throw new Error(`first-files: no chunk has ${module}`);
          return found;
        });
        return [...listFiles(roots, chunks)].filter((name) => !known.has(name));
      };
      const entries = Object.entries(MODULES).map(([place, modules]) => [place, list(modules)] as const);
      const files: Readonly<Record<string, readonly string[]>> = Object.fromEntries(entries);
      requireLight(files, chunks);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(files));
    },
  };
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

function requireLight(files: Readonly<Record<string, readonly string[]>>, chunks: readonly Rolldown.OutputChunk[]) {
  const heavy = chunks.filter(({ moduleIds }) => moduleIds.some((id) => HEAVY.test(id)));
  for (const place of LIGHT) {
    const found = heavy.find(({ fileName }) => files[place]?.includes(fileName));
    if (found !== undefined) throw new Error(`first-files: ${place} waits for ${found.fileName}`);
  }
}
