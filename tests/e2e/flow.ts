import type { Page } from '@playwright/test';
import type { TestUser } from '#tests/support/accounts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';

export type Stored = Readonly<{
  interviews: readonly Readonly<{ id: string; transcript: string | null; contact_email: string | null }>[];
  /** Registered files, in their order. */
  media: readonly Readonly<{ file_path: string; file_type: string }>[];
  /** Names in the bucket. */
  objects: readonly string[];
}>;

/** What the provider has of this user, past every policy. */
export function getStored(server: TestServer, { id }: Pick<TestUser, 'id'>): Promise<Stored> {
  return asOwner(server.databaseUrl, async (client) => {
    const interviews = await client.query(
      'select id, transcript, contact_email from public.interviews where user_id = $1 order by id',
      [id],
    );
    const media = await client.query(
      `select m.file_path, m.file_type from public.media_uploads m join public.interviews i on i.id = m.interview_id
        where i.user_id = $1 order by m.id`,
      [id],
    );
    const objects = await client.query('select name from storage.objects where owner_id = $1 order by name', [id]);
    return {
      interviews: interviews.rows as Stored['interviews'],
      media: media.rows as Stored['media'],
      objects: objects.rows.map((row: { name: string }) => row.name),
    };
  });
}

/** A contribution of this user, as the voice-message screen makes it. */
export async function startedInterview({ client }: TestUser): Promise<string> {
  const made = await client
    .from('interviews')
    .insert({ created_at: new Date().toISOString() })
    .select('id')
    .single<{ id: number }>();
  if (made.error !== null) throw made.error;
  return String(made.data.id);
}

/** Goes to a screen as the one before it would: a new history entry with this state, marked as the router's own. */
export async function enterScreen(page: Page, path: string, state: object = {}): Promise<void> {
  await page.evaluate(
    ([url, given]) => {
      const key = crypto.randomUUID();
      history.pushState({ ...given, key, __TSR_key: key, __TSR_index: history.length }, '', url);
    },
    [path, state] as const,
  );
}

/**
 * To another screen without a new document; there when its heading has the focus, as after every way there. Saves what
 * a page costs to load.
 */
export async function walkTo(page: Page, path: string): Promise<void> {
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  await enterScreen(page, path);
  await page.locator('h1:focus').waitFor();
}

/** The request reaches the server and is carried out; the answer never comes back. The first `times` are lost. */
export async function loseAnswers(page: Page, url: string | RegExp, method: string, times = 1): Promise<() => number> {
  let lost = 0;
  await page.route(url, async (route) => {
    if (route.request().method() !== method || lost >= times) return route.fallback();
    lost += 1;
    await route.fetch();
    await route.abort('connectionreset');
  });
  return () => lost;
}

export const BACKEND = /\/(rest|storage)\/v1\//;
