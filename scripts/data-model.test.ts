import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const PAGE = 'docs/data-model.md';
const shorten = (file: string): string => path.basename(file).replace(/^\d+/, '…');
const NAMED = /^(?:create(?: or replace)?|drop|alter) (?:function|view|trigger|policy) ("[^"]+"|[\w.]+)/gim;
const BODY = /--.*|\$\$[\s\S]*?\$\$/g;

/** Of each function, view, trigger and policy that several files name, the last one. */
function findRunning(): Map<string, string> {
  const files = new Map<string, Set<string>>();
  for (const file of globSync('supabase/migrations/*.sql').toSorted())
    for (const [, name = ''] of readFileSync(file, 'utf8').replaceAll(BODY, '').matchAll(NAMED))
      files.set(name, (files.get(name) ?? new Set()).add(shorten(file)));
  const repeated = [...files].filter(([, named]) => named.size > 1);
  return new Map(repeated.map(([name, named]) => [name.replaceAll('"', ''), [...named].at(-1) ?? '']));
}

test('Each migration has a row in the table of migrations, and each row a migration', () => {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('| Migration |');
  const rows = (section.split('\n\n')[0] ?? '').matchAll(/^\| ([^|]+) \|/gm);
  const listed = [...rows].flatMap(([, names = '']) => names.match(/….+?\.sql/g) ?? []);
  const files = globSync('supabase/migrations/*.sql').map(shorten);
  expect(listed.toSorted(), `${PAGE}, 'Migration'`).toEqual(files.toSorted());
});

test('The table of running definitions has each object that several migrations name, with the last one', () => {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('| Running definition in |');
  const rows = [...(section.split('\n\n')[0] ?? '').matchAll(/^\| `(….+?\.sql)` \| (.+) \|$/gm)];
  const listed = rows.flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => `${name}: ${file}`),
  );
  const running = [...findRunning()].map(([name, file]) => `${name}: ${file}`);
  expect(listed.toSorted(), `${PAGE}, 'Running definitions'`).toEqual(running.toSorted());
});
