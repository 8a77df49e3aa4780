import type { BrowserContext } from '@playwright/test';

/** Every script of a test calls `canary`; what was heard stands here. */
export async function listen(context: BrowserContext): Promise<string[]> {
  const heard: string[] = [];
  await context.exposeFunction('canary', (where: unknown) => void heard.push(String(where)));
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/canary') heard.push(request.url());
  });
  context.on('dialog', (dialog) => {
    heard.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  return heard;
}
