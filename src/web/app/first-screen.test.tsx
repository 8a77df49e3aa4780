import { readFileSync } from 'node:fs';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Boot } from './application.tsx';

const bare = (html: string): string =>
  (new DOMParser().parseFromString(html, 'text/html').querySelector('#root')?.innerHTML ?? '')
    .replaceAll(/>\s+</g, '><')
    .replaceAll(/: (?=\d)/g, ':')
    .trim();

it('index.html shows what the application begins with, so that it is there before its code (decision 0283)', () => {
  const page = readFileSync(`${import.meta.dirname}/../index.html`, 'utf8');
  expect(bare(page)).toBe(bare(`<div id="root">${renderToStaticMarkup(<Boot />)}</div>`));
});
