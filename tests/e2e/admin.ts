import type { Page } from '@playwright/test';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { mailsIn } from '#tests/support/outbox.ts';
import { expect } from './application.ts';

export async function login(page: Page, { email, password }: Pick<TestUser, 'email' | 'password'>): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('E-Mail').fill(email);
  await page.getByLabel('Passwort', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
}

/** Somebody of each company who handed something in, over twelve weeks, and contributions without a login. */
export async function fillFigures(server: TestServer): Promise<void> {
  const people = await Promise.all(
    (['firma_a', 'firma_a', 'firma_a', 'firma_a', 'firma_b', 'admin'] as const).map((role) =>
      createUser(server, { role }),
    ),
  );
  await asOwner(server.databaseUrl, async (client) => {
    for (const [index, { id, email }] of people.entries()) {
      await client.query(
        `insert into interviews (user_id, user_email, created_at, transcript)
         select $1, $2, now() - make_interval(weeks => n % 12), 'Interviewer: Wie läuft die Pumpe?'
         from generate_series(1, $3::int) as n`,
        [id, email, 26 - 4 * index],
      );
    }
    await client.query(
      `insert into interviews (created_at) select now() - make_interval(days => n * 5)
        from generate_series(1, 15) as n`,
    );
    await client.query(
      `insert into media_uploads (interview_id, file_path, file_type, created_at)
       select i.id, i.id || '/' || n, (array['audio/webm', 'image/jpeg', 'image/png', 'video/mp4', 'application/pdf',
         'text/plain'])[1 + (i.k + n) % 6], i.created_at
       from (select id, created_at, row_number() over (partition by user_id order by id) as k
         from interviews) as i, generate_series(1, 2) as n
       where (i.k + n) % 4 <> 0 on conflict do nothing`,
    );
  });
}

/** The link of the newest mail to that address, at the address under which the test's server listens. */
export async function linkTo(server: TestServer, email: string): Promise<string> {
  let link = '';
  await expect
    .poll(async () => {
      link = (await mailsIn(server.dataDir)).findLast(({ to }) => to === email)?.link ?? '';
      return link;
    })
    .not.toBe('');
  const url = new URL(link);
  return `${server.url}${url.pathname}${url.search}`;
}
