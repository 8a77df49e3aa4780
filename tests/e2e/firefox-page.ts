import { expect } from '@playwright/test';
import type { FirefoxPage } from '#tests/support/firefox.ts';

const readText = (page: FirefoxPage): Promise<string> => page.run(() => document.body.textContent);

export async function shows(page: FirefoxPage, text: string | RegExp): Promise<void> {
  await expect.poll(() => readText(page)).toMatch(text);
}

export async function press(page: FirefoxPage, name: string): Promise<void> {
  const pressed = (): Promise<boolean> =>
    page.run((label) => {
      const all = [...document.querySelectorAll('button')];
      const button = all.find((one) => (one.ariaLabel ?? one.textContent.trim()) === label && !one.disabled);
      button?.click();
      return button !== undefined;
    }, name);
  await expect.poll(pressed).toBe(true);
}

export async function logIn(page: FirefoxPage, url: string, user: { email: string; password: string }): Promise<void> {
  await page.goto(`${url}/login`);
  await shows(page, 'Passwort');
  await page.run(
    (email, password) => {
      const fields = [...document.querySelectorAll('input')];
      for (const [type, value] of [
        ['email', email],
        ['password', password],
      ] as const) {
        const field = fields.find((one) => one.type === type);
        // Past React's own property on the element, which would not notice.
        if (field !== undefined) Reflect.set(HTMLInputElement.prototype, 'value', value, field);
        field?.dispatchEvent(new Event('input', { bubbles: true }));
      }
      fields[0]?.form?.requestSubmit();
    },
    user.email,
    user.password,
  );
  await expect.poll(() => page.run(() => location.pathname)).not.toBe('/login');
}
