import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { formatFileUrl } from '../stored-file.ts';
import { DeskError, getData } from './error.ts';

/** Everything stored about one contribution, read with the administrator's rights. Columns as in the database. */
export type Dossier = z.infer<typeof DossierSchema>;

const DossierSchema = z.object({
  interview: z.looseObject({ id: z.number(), transcript: z.string().nullable(), created_at: z.string() }),
  origin: z.unknown(),
  desk: z.unknown(),
  events: z.array(z.unknown()),
  /** Missing where the database does not know posts yet. */
  posts: z.array(z.unknown()).optional(),
  reviewLinks: z.array(z.unknown()).optional(),
  /** Missing where the database does not know them yet. */
  consents: z.array(z.unknown()).optional(),
});

export type ContributionFile = Readonly<{
  /** Id in `media_uploads`; undefined for an unregistered object. */
  id: number | undefined;
  path: string;
  type: string;
  createdAt: string;
  /** Timed segments of the recording, if known. */
  spoken?: unknown;
  /** Who can be recognised, if somebody was asked. */
  imageRights?: unknown;
  /** What the contributor calls it. */
  originalName?: string | undefined;
}>;

const BUCKET = 'Media';
const PAGE = 200;
const DAY_S = 86_400;

/** Throws DeskError, also for an unknown contribution. */
export async function readDossier(client: SupabaseClient, id: number): Promise<Dossier> {
  const data = getData(await client.rpc('desk_dossier', { contribution: id }));
  if (data === null) throw new DeskError('contribution_not_found');
  return DossierSchema.parse(data);
}

type Attached = 'media_uploads' | 'interview_turns' | 'feedback';

/** Reads the rows of a contribution by id, one page in memory. */
export function readAttachedRows(client: SupabaseClient, table: Attached, contribution: number) {
  return readRows(client, table, `interview_id.eq.${contribution}`);
}

/** Reads what accounts did at the desk, and what was assigned to them. */
export async function* readDeskWork(client: SupabaseClient, accounts: readonly string[]) {
  const ids = accounts.join(',');
  const isTheirs = `by.in.(${ids}),detail->>to.in.(${ids}),detail->>from.in.(${ids})`;
  if (accounts.length > 0) yield* readRows(client, 'desk_audit_log', isTheirs);
}

async function* readRows(
  client: SupabaseClient,
  table: Attached | 'desk_audit_log',
  condition: string,
): AsyncGenerator<Record<string, unknown>> {
  for (let last = 0; ;) {
    const page = client.from(table).select('*').or(condition).gt('id', last);
    const rows: readonly Record<string, unknown>[] = getData(await page.order('id').limit(PAGE));
    yield* rows;
    if (rows.length < PAGE) return;
    last = Number(rows.at(-1)?.['id']);
  }
}

const UploadSchema = z
  .object({
    id: z.number(),
    file_path: z.string(),
    file_type: z.string(),
    created_at: z.string(),
    spoken: z.unknown().optional(),
    image_rights: z.unknown().optional(),
    /** Missing where the database does not know it yet. */
    original_name: z.string().nullish(),
  })
  .transform(({ id, file_path: path, file_type: type, created_at: createdAt, ...more }): ContributionFile => {
    const { spoken, image_rights: imageRights, original_name: originalName } = more;
    return { id, path, type, createdAt, ...omitMissing({ spoken, imageRights, originalName }) };
  });

/** Reads registered files, then unregistered objects of the contribution's folder. */
export async function readFiles(client: SupabaseClient, contribution: number): Promise<ContributionFile[]> {
  const files: ContributionFile[] = [];
  for await (const row of readAttachedRows(client, 'media_uploads', contribution)) files.push(UploadSchema.parse(row));
  const known = new Set(files.map(({ path }) => path));
  return [...files, ...(await listStoredFiles(client, contribution)).filter(({ path }) => !known.has(path))];
}

function omitMissing(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
}

async function listStoredFiles(client: SupabaseClient, contribution: number): Promise<ContributionFile[]> {
  const found: ContributionFile[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { data, error } = await client.storage.from(BUCKET).list(String(contribution), { limit: PAGE, offset });
    if (error !== null) throw new DeskError('backend_failed', { cause: error });
    for (const { id, name, created_at: createdAt, metadata } of data) {
      const mime: unknown = metadata?.['mimetype'];
      const type = typeof mime === 'string' ? mime : '';
      if (id !== null) found.push({ id: undefined, path: `${contribution}/${name}`, type, createdAt: createdAt ?? '' });
    }
    if (data.length < PAGE) return found;
  }
}

/** Throws DeskError. */
export async function readFile(client: SupabaseClient, contribution: number, id: number): Promise<ContributionFile> {
  const rows = client.from('media_uploads').select('*').eq('interview_id', contribution).eq('id', id);
  const [file] = UploadSchema.array().parse(getData(await rows));
  if (file === undefined) throw new DeskError('file_not_found');
  return file;
}

/** Signed addresses for a day, because a large archive takes long; files missing from the store get none. */
export async function signFiles(
  client: SupabaseClient,
  backend: string,
  files: readonly Readonly<{ path: string }>[],
): Promise<ReadonlyMap<string, string>> {
  const paths = files.map(({ path }) => path);
  const found = new Map<string, string>();
  for (let first = 0; first < paths.length; first += PAGE) {
    const some = paths.slice(first, first + PAGE);
    const { data, error } = await client.storage.from(BUCKET).createSignedUrls(some, DAY_S);
    if (error !== null) throw new DeskError('backend_failed', { cause: error });
    for (const [at, { signedUrl }] of data.entries()) {
      // The returned address is wrong where the name holds a question mark; its token is right.
      const [, token] = /[?&]token=([^?&]+)$/.exec(signedUrl ?? '') ?? [];
      const path = some[at] ?? '';
      if (token !== undefined) found.set(path, formatFileUrl(backend, path, token));
    }
  }
  return found;
}
