import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import type { Locator, Page } from '@playwright/test';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { contribute } from '#tests/support/desk.ts';
import { enterWithSession, expect } from './application.ts';

const SPOKEN = fileURLToPath(new URL('../fixtures/sprache.webm', import.meta.url));

/** Somebody's own words, dangerous where they are taken for HTML or a formula. */
export const HOSTILE = {
  name: '=HYPERLINK("https://boese.example","Klick") <img src=x onerror=alert(1)>',
  transcript: '<script>alert(1)</script> Wir haben eine <b>Prüfmaschine</b> gebaut. =1+1',
} as const;

type StoredFile = Readonly<{ path: string; type: string; bytes?: Buffer }>;

/** Puts a file into the store and registers it; without bytes it is registered only. */
export async function storeFile(server: TestServer, id: number, { path, type, bytes }: StoredFile): Promise<void> {
  const name = `${id}/${path}`;
  if (bytes !== undefined) {
    const { error } = await server.service().storage.from('Media').upload(name, bytes, { contentType: type });
    if (error !== null) throw error;
  }
  await asOwner(server.databaseUrl, (client) =>
    client.query('insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, $3)', [
      id,
      name,
      type,
    ]),
  );
}

/**
 * An interview with everything a contribution can have: turns, a recording over them, pictures, a document, a missing
 * file.
 */
export async function richContribution(server: TestServer): Promise<number> {
  const id = await contribute(server, {
    transcript:
      'Interviewer: Was habt ihr gebaut?\n\nDu: Eine neue Prüfmaschine, die jedes Bauteil in unter zwei ' +
      'Sekunden misst.',
    answers: {
      who: 'Das Team der Montage',
      what: 'Eine Prüfmaschine',
      when: 'Im Oktober',
      where: 'In Halle 3',
      why: '',
    },
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@beispiel.test',
    origin: { area: 'firma-a', kind: 'interview', topic: 'tech-dive' },
  });
  const end = Date.now();
  await storeFile(server, id, { path: `${end}_aufnahme.webm`, type: 'audio/webm', bytes: await readFile(SPOKEN) });
  await storeFile(server, id, {
    path: `${end + 1}_halle.png`,
    type: 'image/png',
    bytes: picture(640, 420, [46, 96, 160]),
  });
  await storeFile(server, id, {
    path: `${end + 2}_maschine.png`,
    type: 'image/png',
    bytes: picture(420, 640, [150, 110, 60]),
  });
  await storeFile(server, id, {
    path: `${end + 3}_bericht.pdf`,
    type: 'application/pdf',
    bytes: Buffer.from('%PDF-1.4\n%%EOF\n'),
  });
  await storeFile(server, id, {
    path: `transcript_${end}.txt`,
    type: 'text/plain',
    bytes: Buffer.from('Du: <b>Hallo</b>'),
  });
  await storeFile(server, id, { path: `${end + 4}_verloren.jpg`, type: 'image/jpeg' });
  await asOwner(server.databaseUrl, async (client) => {
    for (const [position, [speaker, content, before]] of (
      [
        ['agent', 'Was habt ihr gebaut?', 4_000],
        ['user', 'Eine neue Prüfmaschine.', 3_000],
        ['agent', 'Wie schnell misst sie?', 2_500],
        ['user', 'Jedes Bauteil in unter zwei Sekunden.', 1_000],
      ] as const
    ).entries())
      await client.query(
        `insert into interview_turns (interview_id, conversation_id, position, speaker, content, created_at)
          values ($1, 'a', $2, $3, $4, $5)`,
        [id, position, speaker, content, new Date(end - before)],
      );
  });
  return id;
}

/** A PNG of one colour with a light diagonal, so that one sees which way is up. */
export function picture(width: number, height: number, [red, green, blue]: readonly [number, number, number]): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const light = Math.abs(x / width - y / height) < 0.02 ? 80 : 0;
      rows.set([red + light, green + light, blue + light], y * (width * 3 + 1) + 1 + x * 3);
    }
  return encodePng(width, height, [8, 2], rows);
}

/** `kind`: bits of a sample and type of colour; `rows`: each with its filter before it. */
export function encodePng(width: number, height: number, kind: readonly [number, number], rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([...kind, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The inbox with its rows there. */
export async function openInbox(page: Page, search = ''): Promise<void> {
  await page.goto(`/admin/eingang${search}`);
  await expectInbox(page);
}

async function expectInbox(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Eingang');
  await expect(page.getByText('Lade Beiträge...')).toHaveCount(0);
}

export function getRows(page: Page): Locator {
  return page.getByRole('list', { name: 'Beiträge' }).getByRole('listitem');
}

/** An administrator, logged in on the page at `path`. */
export async function toDesk(page: Page, server: TestServer, path = '/admin'): Promise<TestUser> {
  const admin = await createUser(server, { role: 'admin' });
  await enterWithSession(page, server, admin, path);
  return admin;
}

/** An administrator at the inbox with its rows there. */
export async function toInbox(page: Page, server: TestServer, search = ''): Promise<TestUser> {
  const admin = await toDesk(page, server, `/admin/eingang${search}`);
  await expectInbox(page);
  return admin;
}

/** A desk as it looks on a Friday: people, kinds, states and an inbox that is not empty. */
export async function fillDesk(server: TestServer): Promise<void> {
  const spoken = [
    'Wir haben die Prüfmaschine direkt neben die Drehbank gestellt. Niemand läuft mehr zum Messraum.',
    'Mein Weg hat in der Lehrwerkstatt begonnen, an einer alten Fräse, und davon erzähle ich gern.',
    'Beim Brückenbau zählt, was keiner sieht: die Lager, die Fugen, das Wasser.',
    'So sieht unser Labor aus, wenn die Turbine zum ersten Mal läuft.',
  ];
  const people = [
    ['Konrad', 'Zuse', 'firma-a', 'interview', 'tech-dive', 'new'],
    ['Emmy', 'Noether', 'firma-b', 'voice_message', undefined, 'new'],
    ['Carl', 'Benz', 'generic', 'video', undefined, 'in_progress'],
    ['Hedwig', 'Bollhagen', 'testnormec', 'interview', 'behind-scenes', 'for_review'],
    ['Rudolf', 'Diesel', 'firma-a', 'image', undefined, 'published'],
    ['Melitta', 'Bentz', 'generic', 'document', undefined, 'published'],
    ['Ottmar', 'Mergenthaler', 'firma-b', 'interview', 'engineering-path', 'in_progress'],
    ['Ilse', 'Essers', 'firma-a', 'contributor', undefined, 'rejected'],
  ] as const;
  for (const [place, [firstName, lastName, area, kind, topic, state]] of people.entries()) {
    const id = await contribute(server, {
      firstName,
      lastName,
      email: `${lastName.toLowerCase()}@beispiel.test`,
      // Before everything else there is.
      createdAt: new Date(Date.now() + (people.length - place) * 60_000).toISOString(),
      transcript: spoken[place % spoken.length] ?? '',
      origin: { area, kind, ...(topic !== undefined && { topic }) },
    });
    await asOwner(server.databaseUrl, (client) =>
      client.query('update private.desk_items set state = $2 where interview_id = $1', [id, state]),
    );
  }
}
