import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { serverPlaces } from './scripts/build/server-places.ts';

const OUTPUT = fileURLToPath(new URL('./dist/server', import.meta.url));

const ENTRIES = {
  main: 'src/server/main.ts',
  'hash-thread': 'src/backend/auth/hash-thread.ts',
  'speech-engine': 'src/server/speech/local/child.ts',
};

/**
 * The server: `src/server/main.ts` → `dist/server/main.js`, with what some requests alone need in files of its own
 * (decision 0341). SQL, models and lists stay where the sources have them.
 */
export default defineConfig({
  publicDir: false,
  plugins: [serverPlaces(OUTPUT, ENTRIES)],
  // Programs and WebAssembly stay packages.
  ssr: { noExternal: true, external: ['@node-rs/bcrypt', 'opus-decoder'] },
  build: {
    ssr: true,
    outDir: OUTPUT,
    emptyOutDir: true,
    target: 'node24',
    // Names and lines stay, for a person who reads a log.
    minify: false,
    sourcemap: false,
    rolldownOptions: {
      input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, path.resolve(file)])),
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        // Anything beyond ASCII would take two bytes for each character of the file, as long as the server runs.
        charset: 'ascii',
        comments: false,
      },
    },
  },
});
