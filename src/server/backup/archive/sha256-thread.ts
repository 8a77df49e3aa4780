import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

let hash = createHash('sha256');

/** Answers each chunk with nothing, and null, which ends a content, with its checksum. */
parentPort?.on('message', (chunk: Uint8Array | null) => {
  if (chunk !== null) hash.update(chunk);
  parentPort?.postMessage(chunk === null ? hash.digest('hex') : '', []);
  if (chunk === null) hash = createHash('sha256');
});
