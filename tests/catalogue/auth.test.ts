import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ROUTES, FORM_ROUTES } from '#backend/auth/routes/index.ts';
import { findUnsupportedKeys, IGNORED, REFUSED } from '#backend/config-unsupported.ts';
import { AuthConfig } from '#backend/config.ts';

const read = (file: string): string => readFileSync(file, 'utf8');

describe('docs/authentication.md', () => {
  it('explains every switch of [auth], section by section', () => {
    const sections = read('docs/authentication.md')
      .split(/^## \[/m)
      .slice(1);
    const explained = sections.flatMap((section) => {
      const name = section.slice(0, section.indexOf(']'));
      return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => `${name}.${key}`);
    });
    const switches = getSwitches(AuthConfig, 'auth');
    expect(switches.length).toBeGreaterThan(60);
    expect(switches.filter((name) => !explained.includes(name))).toEqual([]);
    expect(explained.filter((name) => !switches.includes(name))).toEqual([]);
  });
});

/** Names of the leaves; a record of sections is one section `*`, one of plain values a leaf. */
function getSwitches(schema: unknown, name: string): string[] {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([key, value]) => getSwitches(value, `${name}.${key}`));
  }
  const entry = inner instanceof z.ZodRecord ? unwrapped(inner.valueType) : undefined;
  return entry instanceof z.ZodObject ? getSwitches(entry, `${name}.*`) : [name];
}

function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return unwrapped(schema.def.innerType);
  }
  return schema instanceof z.ZodPipe ? unwrapped(schema.def.in) : schema;
}

describe('upstream’s own keys of [auth]', () => {
  it('are each acted on, refused or read over with a reason, as the page says', () => {
    const file = parse(read('tests/catalogue/upstream-auth.toml')) as { auth: unknown };
    const { refused, ignored } = findUnsupportedKeys(file.auth, AuthConfig);
    expect(ignored.filter((told) => told.endsWith(': unknown'))).toEqual([]);
    expect([refused.length, ignored.length]).toEqual([Object.keys(REFUSED).length, Object.keys(IGNORED).length - 1]);
    const page = read('docs/authentication.md');
    expect(Object.keys({ ...REFUSED, ...IGNORED }).filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });
});

describe('docs/wire-coverage', () => {
  const tables = read('docs/wire-coverage/auth.md');

  it('names every call that is mounted', () => {
    const routes = [...ROUTES, ...FORM_ROUTES].map(({ spec }) => spec.url);
    // What a parameter is called is nobody's business.
    const bare = (text: string): string => text.replaceAll(/:\w+/g, ':id');
    const missing = routes.filter((url) => !bare(tables).includes(bare(url)));
    expect(missing).toEqual([]);
  });

  it.each(['docs/wire-coverage.md', 'docs/wire-coverage/auth.md'])('%s: no row is empty, every test exists', (file) => {
    const text = read(file);
    const rows = text.split('\n').filter((line) => line.startsWith('|') && !/^\|[-|]+$/.test(line));
    expect(rows.filter((row) => row.split('|')[2]?.trim() === '' || /not built|\*\*none/.test(row))).toEqual([]);
    const named = new Set([...text.matchAll(/\b(auth-[a-z-]+)\b/g)].map(([, name]) => name));
    const absent = [...named].filter((name) => !existsSync(`tests/wire/${name}.test.ts`));
    expect(absent).toEqual([]);
  });
});
