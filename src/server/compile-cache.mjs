import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Preloaded (`--import`): what the next start would compile and strip of its types again is kept. Where the folder
// cannot be written, everything works as before.
enableCompileCache(fileURLToPath(new URL('../../.cache/compiled', import.meta.url)));
