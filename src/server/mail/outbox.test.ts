import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { searchOutbox } from './mail-search.ts';
import { openOutbox, removeLoneSidecars, type Outbox } from './outbox.ts';

const ID = '0f1e2d3c-0000-4000-8000-000000000001';
const NAME = `2026-11-20T10-00-00-000Z_${ID}`;
const MAIL = {
  id: ID,
  at: new Date('2026-11-20T10:00:00Z'),
  to: 'mira@beispiel.test',
  replyTo: 'team@haus.test',
  subject: 'Grüße',
  text: 'https://x.test/admin/eingang/17',
  html: '<p>https://x.test/admin/eingang/17</p>',
};

/** As earlier versions wrote it: MIME, no sidecar. */
const EARLIER = [
  'From: =?UTF-8?B?TcO8bGxlcg==?= <post@haus.test>',
  'To: mira@beispiel.test',
  `Subject: =?UTF-8?B?${Buffer.from('Grüße an alt@beispiel.test').toString('base64')}?=`,
  'Content-Type: multipart/alternative; boundary="=_1"',
  '',
  '--=_1',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('https://x.test/admin/eingang/17').toString('base64'),
  '--=_1--',
  '',
].join('\r\n');

let folder: string;
let outbox: Outbox;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-outbox-'));
  outbox = openOutbox(folder, 'Müller <post@haus.test>');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a mail in the outbox', () => {
  test('Has its envelope beside it and leaves nothing when it is gone', async () => {
    expect(await outbox.put(MAIL)).toBe(NAME);
    expect(await readdir(folder)).toEqual([`${NAME}.eml`, `${NAME}.json`]);
    const mail = await outbox.read(NAME);
    expect(mail).toMatchObject({ from: 'post@haus.test', to: 'mira@beispiel.test' });
    expect(mail?.content).toEqual(await readFile(path.join(folder, `${NAME}.eml`)));
    await outbox.move(NAME, 'eml', 'sending');
    await outbox.remove(NAME, 'sending');
    expect(await readdir(folder)).toEqual([]);
  });

  test('Is read without a sidecar too, as earlier versions wrote it', async () => {
    await writeFile(path.join(folder, `${NAME}.eml`), EARLIER);
    expect(await outbox.list('eml')).toEqual([NAME]);
    expect(await outbox.read(NAME)).toMatchObject({ from: 'post@haus.test', to: 'mira@beispiel.test' });
    await writeFile(path.join(folder, `${NAME}.eml`), 'Unsinn');
    expect(await outbox.read(NAME)).toBeUndefined();
  });

  test('Takes its sidecar along when a mail transfer agent has taken the message', async () => {
    await outbox.put(MAIL);
    await removeLoneSidecars(folder, 0);
    expect(await readdir(folder)).toHaveLength(2);
    await rm(path.join(folder, `${NAME}.eml`));
    // Its mail may be on its way.
    await removeLoneSidecars(folder, 60_000);
    expect(await readdir(folder)).toHaveLength(1);
    await removeLoneSidecars(folder, 0);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('a search for mails', () => {
  const write = {
    now: async () => void (await outbox.put(MAIL)),
    before: () => writeFile(path.join(folder, `${NAME}.eml`), EARLIER),
    'cut short': async () => {
      await outbox.put(MAIL);
      await rm(path.join(folder, `${NAME}.eml`));
    },
  };
  for (const [name, put] of Object.entries(write)) {
    test(`Finds by recipient, contribution and id, and removes all of it (written ${name})`, async () => {
      await put();
      const search = searchOutbox(folder);
      for (const subject of [{ address: 'mira@beispiel.test' }, { contribution: 17 }, { letter: ID }]) {
        expect(await search.find([subject])).toHaveLength(1);
      }
      for (const other of [{ address: 'ira@beispiel.test' }, { contribution: 1 }, { letter: ID.replace('1', '2') }]) {
        expect(await search.find([other])).toEqual([]);
      }
      await search.remove(await search.find([{ contribution: 17 }]));
      expect(await readdir(folder)).toEqual([]);
    });
  }

  test('Finds an address in encoded words of a message without a sidecar', async () => {
    await write.before();
    expect(await searchOutbox(folder).find([{ address: 'alt@beispiel.test' }])).toEqual([`${NAME}.eml`]);
  });
});
