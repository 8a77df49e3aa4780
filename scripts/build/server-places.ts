import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = path.join(ROOT, 'src', path.sep);
const OWN_FILE = 'import.meta.url';
/** What another thread or process begins with. */
const STARTED = /new URL\('(?<file>[^']+\.ts)', import\.meta\.url\)/g;

/**
 * Keeps the places of the server's files true in `folder`: what stands beside a source is still found there, and what a
 * thread or a process begins with is one of the `entries` (a name and its source).
 */
export function serverPlaces(folder: string, entries: Readonly<Record<string, string>>): Plugin {
  const names = new Map(Object.entries(entries).map(([name, source]) => [path.resolve(ROOT, source), name]));
  return {
    name: 'server-places',
    transform: {
      order: 'pre',
      handler(code, id) {
        // Vite writes slashes on every system.
        const module = path.resolve(id);
        if (!module.startsWith(SOURCES) || !code.includes(OWN_FILE)) return undefined;
        const started = code.replaceAll(STARTED, (_all, file: string) => {
          const name = names.get(path.resolve(path.dirname(module), file));
          if (name === undefined) throw new Error(`${id} starts ${file}, which is no entry of the server's build`);
          return `new URL('${name}.js', SERVER_BUILD)`;
        });
        const source = path.relative(folder, module).split(path.sep).join('/');
        const placed = started.replaceAll(OWN_FILE, `new URL('${source}', ${OWN_FILE}).href`);
        return { code: placed.replaceAll('SERVER_BUILD', OWN_FILE), map: null };
      },
    },
  };
}
