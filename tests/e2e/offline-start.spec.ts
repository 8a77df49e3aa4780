import { expect, test } from './application.ts';
import { goOffline } from './offline.ts';

test.use({ serviceWorkers: 'allow' });

test('experience Offline: loaded once, the application opens without a network, with the last known role (§4)', async ({
  page,
  request,
  context,
  loginAs,
}) => {
  await loginAs('firma_a');
  await expect(page.getByRole('heading', { name: /^Willkommen, / })).toBeVisible();
  await goOffline(page, context);
  await page.reload();
  await expect(page.getByRole('heading', { name: /^Willkommen, / })).toBeVisible();
  await page.goto('/firma-a/voice-message');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sprachnachricht');
  await page.goto('/firma-b');
  await expect(page).toHaveURL('/firma-a');

  const worker = await request.get('/sw.js');
  expect(worker.headers()['cache-control']).toBe('no-cache');
  expect(worker.headers()['content-security-policy']).toContain("worker-src 'self'");
  for (const path of [
    '/health',
    '/config.json',
    '/rest/v1/interviews',
    '/auth/v1/health',
    '/v1/convai',
    '/storage/v1/x',
  ]) {
    await expect(page.goto(path), path).rejects.toThrow('ERR_INTERNET_DISCONNECTED');
  }
});
