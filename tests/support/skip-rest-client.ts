import { createRequire } from 'node:module';

/**
 * The official Node client brings its REST half, 5,400 modules, which a conversation at a signed address never calls.
 * Each worker would read them all, and fastify looks through every loaded module at each start. Import this first.
 */
const require = createRequire(import.meta.url);
const filename = require.resolve('@elevenlabs/elevenlabs-js/Client.js');
const exports = { ElevenLabsClient: Object };
require.cache[filename] = Object.assign(Object.create(null), { id: filename, filename, loaded: true, exports });
