import type { Page } from '@playwright/test';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { begin, say, startLanguageModel, writeText, type LanguageModel } from '#tests/support/language-model.ts';
import { expect, test as base } from './application.ts';
import { richContribution, toDesk } from './desk.ts';
import { expectAccessible } from './findings.ts';
import { picture } from './pictures.ts';

const test = base.extend<{ model: LanguageModel }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
  model: async ({}, provide) => {
    const model = await startLanguageModel();
    await provide(model);
    await model.stop();
  },
  server: async ({ model }, provide) => {
    const server = await bootServer({ LLM_URL: model.url, LLM_MODEL: 'probe-7b' });
    await provide(server);
    await server.stop();
  },
});
test.use({ apart: 'desk-drafts', viewport: { width: 1280, height: 900 } });

const field = (page: Page) => page.getByLabel('Text', { exact: true });
const result = (page: Page) => page.getByRole('region', { name: 'Entwurf des Sprachmodells' });

async function openPost(page: Page, server: TestServer, id: number): Promise<void> {
  await toDesk(page, server, `/admin/eingang/${id}`);
  await page.getByRole('link', { name: /^Posts/ }).click();
  await page.getByRole('button', { name: 'Post anlegen' }).click();
  await page.getByRole('menuitem', { name: 'LinkedIn' }).click();
  await expect(field(page)).toBeVisible();
}

test('A model writes a draft with its citations, changes it and is cancelled (posts, drafting)', async ({
  page,
  server,
  model,
}) => {
  const id = await richContribution(server);
  await openPost(page, server, id);

  model.behave(say('Eine neue Prüfmaschine misst in unter zwei Sekunden [5]. Sie steht in Halle 7 [77].'));
  await page.getByRole('button', { name: 'Entwurf schreiben lassen' }).click();
  await expect(result(page).getByText('Fertig.')).toContainText('gibt es nicht');
  const [cited, uncited] = [result(page).getByRole('listitem').nth(0), result(page).getByRole('listitem').nth(1)];
  await expect(cited).toContainText('„Eine neue Prüfmaschine, die jedes Bauteil in unter zwei Sekunden misst.“');
  await expect(uncited).toContainText('Nennt keinen Beleg.');
  await expect(field(page)).toHaveValue('');
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await result(page).evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await picture(page, 'desk-drafts');
  await page.getByRole('button', { name: 'Text übernehmen' }).click();
  const first = 'Eine neue Prüfmaschine misst in unter zwei Sekunden. Sie steht in Halle 7.';
  await expect(field(page)).toHaveValue(first);
  // The evidence checks what the model wrote like any other text.
  await expect(page.getByText('1 Angabe ist nicht belegt:')).toBeVisible();
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();

  model.behave((response) => void writeText(begin(response), 'Eine Prüfmaschine [5]. Und '));
  await page.getByRole('button', { name: 'Text überarbeiten lassen' }).click();
  await page.getByRole('menuitem', { name: 'Kürzen auf Kanal-Länge' }).click();
  await expect(result(page).getByText('Eine Prüfmaschine.')).toBeVisible();
  // It goes on while one looks at the material.
  await page.getByRole('link', { name: 'Material' }).click();
  await expect(field(page)).toHaveCount(0);
  await page.getByRole('link', { name: /^Posts/ }).click();
  await expect(result(page).getByText('Eine Prüfmaschine.')).toBeVisible();
  await page.getByRole('button', { name: 'Abbrechen' }).click();
  await model.left();
  await expect(result(page)).toBeFocused();
  await expect(result(page).getByText('Abgebrochen.')).toBeVisible();
  await page.getByRole('button', { name: 'Text übernehmen' }).click();
  await expect(field(page)).toHaveValue('Eine Prüfmaschine. Und');
  expect(model.requests.at(-1)?.messages[1]?.content).toContain(`<text>\n${first}\n</text>`);
  await field(page).fill('Eine Prüfmaschine.');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();

  model.behave((response) => void response.writeHead(429).end());
  await page.getByRole('button', { name: 'Ganz neu schreiben lassen' }).click();
  await expect(page.getByRole('alert')).toContainText('Das Sprachmodell ist ausgelastet.');
  await expect(field(page)).toHaveValue('Eine Prüfmaschine.');

  const { rows } = await asOwner(server.databaseUrl, (client) =>
    client.query('select version, origin, model from post_versions order by post_id, version'),
  );
  expect(rows).toEqual([
    { version: 1, origin: 'person', model: null },
    { version: 2, origin: 'model', model: 'probe-7b' },
    { version: 3, origin: 'person', model: null },
  ]);
});
