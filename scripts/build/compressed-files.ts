import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Below this the headers weigh more. */
const LEAST_BYTES = 1024;
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
const GZIP = { level: constants.Z_BEST_COMPRESSION };

/** Writes scripts and styles as `.br` and `.gz`, too: smaller than a server has the time to make them. */
export function compressedFiles(): Plugin {
  return {
    name: 'compressed-files',
    async writeBundle({ dir = '' }, bundle) {
      const outputs = Object.values(bundle).filter(({ fileName }) => /^assets\/.+\.(?:js|css)$/.test(fileName));
      await Promise.all(
        outputs.map(async (output) => {
          const bytes = Buffer.from(output.type === 'chunk' ? output.code : output.source);
          if (bytes.length < LEAST_BYTES) return;
          const file = path.join(dir, output.fileName);
          await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, BROTLI));
          await writeFile(`${file}.gz`, await promisify(gzip)(bytes, GZIP));
        }),
      );
    },
  };
}
