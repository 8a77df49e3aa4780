import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { listCrowdedFiles, type CrowdedFile } from '#tests/support/crowded-media.ts';
import type { Attack } from '../attack.ts';
import { beginContribution } from '../contribution.ts';
import type { Target } from '../target.ts';

const BYTES = 4_000_000;
const PAUSE_MS = 100;
/** The sweep is due every ten minutes; here twice a second. */
const SWEEP_SOON = `const { setInterval } = globalThis;
globalThis.setInterval = (work, ms, ...more) => setInterval(work, ms === 600_000 ? 500 : ms, ...more);`;

/** What the server looks through by itself an hour after the upload must not keep others waiting. */
export const crowdedMedia: Attack = {
  name: 'crowded-media',
  about: 'pictures and films of a guest of up to two million parts each, whose places and devices are taken out',
  // What was uploaded and read waits for the collector.
  memory: 200,
  arrange: () => {
    const files = listCrowdedFiles(BYTES);
    return {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SWEEP_SOON)}` },
      run: async (target, tally) => {
        const { id, headers } = await beginContribution(target);
        for (const file of files) tally.count(await upload(target, `${id}`, headers, file));
        if (tally.accepted() === 0) tally.fail('no file was stored');
        await target.sql('update _backend.originals set due = now()');
        while (await isSweeping(target)) await wait(PAUSE_MS);
      },
    };
  },
};

async function upload(
  target: Target,
  folder: string,
  headers: Readonly<Record<string, string>>,
  { type, extension, bytes }: CrowdedFile,
): Promise<number | string> {
  const name = `1700000000000_${randomBytes(16).toString('hex')}.${extension}`;
  const { status } = await target.call({
    method: 'POST',
    path: `/storage/v1/object/Media/${folder}/${name}`,
    headers: { ...headers, 'content-type': type },
    body: bytes,
  });
  return status;
}

async function isSweeping(target: Target): Promise<boolean> {
  return (await target.sql('select from _backend.originals')).length > 0;
}
