import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const NAMED = /^(?:create(?: or replace)?|drop|alter) (?:function|view|trigger|policy) ("[^"]+"|[\w.]+)/gim;
const BODY = /--.*|\$\$[\s\S]*?\$\$/g;

/** Of each function, view, trigger and policy that several files name, the last one. */
function findRunning(): Map<string, string> {
  const files = new Map<string, Set<string>>();
  for (const file of globSync('supabase/migrations/*.sql').toSorted())
    for (const [, name = ''] of readFileSync(file, 'utf8').replaceAll(BODY, '').matchAll(NAMED))
      files.set(name, (files.get(name) ?? new Set()).add(path.basename(file).replace(/^\d+/, '…')));
  const repeated = [...files].filter(([, named]) => named.size > 1);
  return new Map(repeated.map(([name, named]) => [name.replaceAll('"', ''), [...named].at(-1) ?? '']));
}

test('The table of running definitions has each object that several migrations name, with the last one', () => {
  const [, section = ''] = readFileSync('docs/data-model.md', 'utf8').split('| Running definition in |');
  const rows = [...(section.split('\n\n')[0] ?? '').matchAll(/^\| `(….+?\.sql)` \| (.+) \|$/gm)];
  const listed = rows.flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']): [string, string] => [name, file]),
  );
  expect(new Map(listed), "docs/data-model.md, 'Running definitions'").toEqual(findRunning());
});
