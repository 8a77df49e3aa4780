import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { getMessage } from '#lib/error-code.ts';
import { applyEdits, createFileReader, planCleanCopy, UncleanableError, type Edit } from '#lib/clean-copy/index.ts';
import type { Tx } from '../database/index.ts';
import { matchesType } from './content-type.ts';
import type { StorageDeps } from './deps.ts';
import { MissingFileError, storeKey } from './stores/object-store.ts';
import { abandonVersion, claimVersion, createVersion, removeUnclaimed } from './unclaimed-files.ts';

/**
 * Replaces originals by their copies without place and device (decision 0266), some time after they came: their sender
 * may still repeat the upload and compare.
 */
type Original = Readonly<{ version: string; size: number; type: string; tag: string }>;

/** Joins the transaction that writes the object's row. */
export async function registerOriginal(
  tx: Tx,
  { rules }: Pick<StorageDeps, 'rules'>,
  object: Readonly<{ bucket: string; version: string; type: string }>,
): Promise<void> {
  const rule = rules.originals;
  if (rule === undefined || rule.bucket !== object.bucket || !matchesType(object.type, rule.types)) return;
  await tx.query(
    `insert into _backend.originals (version, due) values ($1, now() + $2 * interval '1 ms') on conflict do nothing`,
    [object.version, rule.afterMs],
  );
}

/** Replaces all that are due, one after the other, and tries a failed one again later. Never throws. */
export async function replaceOriginals(deps: StorageDeps, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted) {
      const original = await takeDue(deps);
      if (original === undefined) return;
      await replaceOriginal(deps, original, signal).catch((error: unknown) => report(deps, error, original));
    }
  } catch (error) {
    report(deps, error);
  }
}

function report({ log }: StorageDeps, error: unknown, original?: Original): void {
  log.warn({ version: original?.version, cause: getMessage(error) }, 'original not replaced');
}

/**
 * Forgets those whose object was replaced or deleted meanwhile. One that fails is due again in an hour, then after as
 * long as it has been there, at last once a day.
 */
async function takeDue({ database }: StorageDeps): Promise<Original | undefined> {
  const taken = await database.asOwner(async (tx) => {
    await tx.query(`delete from _backend.originals f where due <= now()
      and not exists (select from storage.objects o where o.version = f.version)`);
    return tx.query<Omit<Original, 'size'> & { size: string }>(`
      with next as (
        update _backend.originals f set due = now() + least(interval '1 day', greatest(interval '1 hour',
          now() - (select created_at from storage.objects o where o.version = f.version)
        )) where version = (
          select version from _backend.originals where due <= now() order by due limit 1 for update skip locked
        ) returning version)
      select o.version, o.metadata ->> 'size' as size, o.metadata ->> 'mimetype' as type, o.metadata ->> 'eTag' as tag
      from next join storage.objects o using (version)`);
  });
  const found = taken.rows[0];
  return found && { ...found, size: Number(found.size) };
}

async function replaceOriginal(deps: StorageDeps, original: Original, signal: AbortSignal): Promise<void> {
  const edits = await plan(deps, original);
  if (edits.length > 0) await writeCopy(deps, original, edits, signal);
  await deps.database.asOwner((tx) =>
    tx.query('delete from _backend.originals where version = $1', [original.version]),
  );
}

/** No edits where nothing is to be taken out, or where the file is none that could be cleaned: it stays as it came. */
async function plan({ store, log }: StorageDeps, { version, size }: Original): Promise<readonly Edit[]> {
  const reader = createFileReader(size, async (start, length) =>
    buffer(await store.get(storeKey(version), { start, end: start + length - 1 })),
  );
  try {
    return size === 0 ? [] : await planCleanCopy(reader);
  } catch (error) {
    if (!(error instanceof UncleanableError) && !(error instanceof MissingFileError)) throw error;
    log.info({ version, cause: error.message }, 'original kept');
    return [];
  }
}

const UPLOADED_MD5 = /^"([\da-f]{32})"$/;

async function writeCopy(deps: StorageDeps, original: Original, edits: readonly Edit[], signal: AbortSignal) {
  await deps.store.requireSpace(original.size);
  const version = await createVersion(deps);
  let content: Readable | undefined;
  try {
    const source = createHash('md5');
    content = await deps.store.get(storeKey(original.version));
    const copy = Readable.from(applyEdits(hashed(content, source), edits), { objectMode: false, signal });
    // The store listens only once it has a file to write to; an error before that would end the process.
    copy.on('error', () => undefined);
    const { size, md5 } = await deps.store.put(storeKey(version), copy, original.type);
    const [, expected] = UPLOADED_MD5.exec(original.tag) ?? [];
    // A copy of damaged bytes would hide that they are damaged.
    if (expected !== undefined && expected !== source.digest('hex')) throw new Error('the stored file is damaged');
    await deps.database.asOwner((tx) => replaceVersion(tx, original.version, { version, size, md5 }));
  } catch (error) {
    await abandonVersion(deps, version);
    throw error;
  } finally {
    // Where the store has not begun to read, nothing else closes it.
    content?.destroy();
  }
  await removeUnclaimed(deps);
}

async function* hashed(content: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
}

type Copy = Readonly<{ version: string; size: number; md5: string }>;

/** Throws where the object was deleted or replaced meanwhile: an erasure must not be undone. */
async function replaceVersion(tx: Tx, original: string, { version, size, md5 }: Copy): Promise<void> {
  await claimVersion(tx, version);
  const changed = { eTag: `"${md5}"`, size, contentLength: size, lastModified: new Date().toISOString() };
  const replaced = await tx.query(
    `update storage.objects set version = $2, metadata = metadata || $3::jsonb where version = $1`,
    [original, version, JSON.stringify(changed)],
  );
  if (replaced.rowCount === 0) throw new Error('the object is another one meanwhile');
}
