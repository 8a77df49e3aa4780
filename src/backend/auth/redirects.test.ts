import { describe, expect, test } from 'vitest';
import { resolveRedirect } from './redirects.ts';

const SITE = 'https://app.beispiel.test';
const accept = (asked: string, additional_redirect_urls: string[] = [], site_url = SITE): string =>
  resolveRedirect(asked, { site_url, additional_redirect_urls });

describe('contract §1.6 threat 16 redirect targets', () => {
  test.each([`${SITE}/`, `${SITE}/a?b=c#d`])('the site itself: %s', (asked) => expect(accept(asked)).toBe(asked));

  test.each([
    '',
    '/',
    '//boese.test',
    String.raw`/\boese.test`,
    String.raw`https:\\boese.test`,
    'javascript:alert(1)',
    'https://app.beispiel.test:8443/',
    'http://app.beispiel.test/',
    'https://app.beispiel.test@boese.test/',
    'https://x:y@app.beispiel.test/',
    'https://app.beispiel.test.boese.test',
    'https://boeseapp.beispiel.test',
    '%68ttps://boese.test',
    'app.beispiel.test',
    'data:text/html,x',
    ' https://boese.test',
  ])('Replaces %j by the site', (asked) => expect(accept(asked)).toBe(SITE));

  test.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://x',
  ])('Refuses %j even where the list allows everything', (asked) => expect(accept(asked, ['**', asked])).toBe(SITE));

  test('Accepts any port of the loopback address as the site', () => {
    expect(accept('http://127.0.0.1:5173/x', [], 'http://127.0.0.1:3000')).toBe('http://127.0.0.1:5173/x');
    expect(accept('http://localhost:5173/x', [], 'http://127.0.0.1:3000')).toBe('http://127.0.0.1:3000');
  });

  test.each([
    ['https://*.beispiel.test/**', 'https://eins.beispiel.test/a/b', true],
    ['https://*.beispiel.test/**', 'https://eins.zwei.beispiel.test/a', false],
    ['https://*.beispiel.test/*', 'https://eins.beispiel.test/a/b', false],
    ['https://andere.test/?', 'https://andere.test/x', true],
    ['https://andere.test/exakt', 'https://andere.test/exakt#teil', true],
    ['https://andere.test/exakt', 'https://andereXtest/exakt', false],
    ['meine-app://callback', 'meine-app://callback', true],
    ['https://a.test/(', 'https://a.test/(', true],
  ])('pattern %s, %s: %s', (pattern, asked, listed) => {
    expect(accept(asked, [pattern])).toBe(listed ? asked : SITE);
  });
});
