import { formatKind } from '#contract/labels.ts';
import type { ReceivedFacts } from './desk-queue.ts';
import type { Wording } from './template.ts';

type ReceiptFacts = Readonly<{
  contribution: number;
  kind: string;
  product: string;
  received: ReceivedFacts | null;
  retentionDays: number | undefined;
}>;

const FILES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  image: ['Bild', 'Bilder'],
  video: ['Video', 'Videos'],
  audio: ['Aufnahme', 'Aufnahmen'],
  document: ['Dokument', 'Dokumente'],
  text: ['Textdatei', 'Textdateien'],
};
const DAY_MS = 86_400_000;
const NUMBER = new Intl.NumberFormat('de-DE');
const DAY = new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeZone: 'Europe/Berlin' });

/** Greets without a name: a person who types a stranger's address must not put words into this mail. */
export function wordReceipt({ contribution, kind, product, received, retentionDays }: ReceiptFacts): Wording {
  return {
    subject: `Dein Beitrag ${contribution} ist angekommen`,
    paragraphs: [
      'Hallo,',
      'dein Beitrag ist vollständig angekommen. Danke!',
      ['Das haben wir bekommen:', ...listReceived(kind, received), `Content-ID: ${contribution}`].join('\n'),
      'Wie es weitergeht: Unser Team schaut sich alles an und macht daraus einen Vorschlag. Du siehst ' +
        'ihn, bevor er erscheint, und kannst ändern lassen oder Nein sagen.',
      ...wordDeletion(received, retentionDays),
      'Hast du eine Frage, oder soll dein Beitrag gelöscht werden? Antworte einfach auf diese E-Mail und ' +
        'nenne die Content-ID.',
    ],
    closing: [
      'Du hast nichts eingereicht? Dann hat jemand deine Adresse angegeben. Antworte auf diese E-Mail, ' +
        'und wir löschen sie.',
      `Content-ID ${contribution} · ${product}`,
    ],
  };
}

function listReceived(kind: string, received: ReceivedFacts | null): string[] {
  const files = Object.entries(received?.files ?? {}).map(([name, count]) => {
    const [one, many] = FILES[name] ?? ['Datei', 'Dateien'];
    return `${NUMBER.format(count)} ${count === 1 ? one : many}`;
  });
  const words = received?.words ?? 0;
  return [
    `Art: ${formatKind(kind)}`,
    ...(words === 0 ? [] : [`Text: ${words === 1 ? '1 Wort' : `${NUMBER.format(words)} Wörter`}`]),
    ...(files.length === 0 ? [] : [`Dateien: ${files.join(', ')}`]),
  ];
}

function wordDeletion(received: ReceivedFacts | null, days: number | undefined): string[] {
  if (received === null || days === undefined) return [];
  const until = new Date(received.completedAt.getTime() + days * DAY_MS);
  return [
    `Wir bewahren ihn bis zum ${DAY.format(until)} auf. Danach wird er gelöscht, mit allen Dateien und deinen Kontaktdaten.`,
  ];
}
