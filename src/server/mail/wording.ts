import type { AccountMail } from '#backend/index.ts';
import { formatKind } from '#contract/labels.ts';
import type { ReceivedFacts } from './desk-queue.ts';

/** A mail in paragraphs, which may have lines. `button` and `code` stand between `paragraphs` and `closing`. */
export type Wording = Readonly<{
  subject: string;
  paragraphs: readonly string[];
  button?: Readonly<{ label: string; link: string }> | undefined;
  code?: Readonly<{ label: string; value: string }> | undefined;
  closing: readonly string[];
}>;

type Rendered = Readonly<{ subject: string; text: string; html: string }>;

/** Texts of a person are escaped: they come from outside. */
export function renderWording(wording: Wording): Rendered {
  return { subject: wording.subject, text: renderText(wording), html: renderHtml(wording) };
}

function renderText({ paragraphs, button, code, closing }: Wording): string {
  const link = button === undefined ? [] : [`${button.label}:\n${button.link}`];
  const digits = code === undefined ? [] : [`${code.label}: ${code.value}`];
  return `${[...paragraphs, ...link, ...digits, ...closing].join('\n\n')}\n`;
}

const BODY = 'font-family:sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a;max-width:36em';
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none';
const SMALL = 'color:#5a5a5a;font-size:14px';

function renderHtml({ paragraphs, button, code, closing }: Wording): string {
  return [
    '<!doctype html><html lang="de"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<body style="${BODY}">`,
    ...paragraphs.map((text) => `<p>${renderLines(text)}</p>`),
    ...(button === undefined ? [] : renderButton(button)),
    ...(code === undefined ? [] : [`<p>${escapeHtml(code.label)}: <strong>${escapeHtml(code.value)}</strong></p>`]),
    ...closing.map((text) => `<p style="${SMALL}">${renderLines(text)}</p>`),
    '</body></html>',
  ].join('\n');
}

function renderButton({ label, link }: NonNullable<Wording['button']>): string[] {
  return [
    `<p><a href="${escapeHtml(link)}" style="${BUTTON}">${escapeHtml(label)}</a></p>`,
    `<p style="${SMALL}">${escapeHtml(link)}</p>`,
  ];
}

function renderLines(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>\n');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

type Text = Readonly<{ subject: string; lead: string; action: string; otherwise: string }>;

const TEXTS: Readonly<Record<AccountMail['kind'], Text>> = {
  signup: {
    subject: 'Bestätige deine E-Mail-Adresse',
    lead: 'schön, dass du dabei bist. Bitte bestätige, dass diese E-Mail-Adresse dir gehört.',
    action: 'E-Mail-Adresse bestätigen',
    otherwise: 'Wenn du dich nicht angemeldet hast, brauchst du nichts zu tun.',
  },
  invite: {
    subject: 'Du bist eingeladen',
    lead: 'für dich wurde ein Konto angelegt. Nimm die Einladung an und vergib ein Passwort.',
    action: 'Einladung annehmen',
    otherwise: 'Wenn du die Einladung nicht erwartest, brauchst du nichts zu tun.',
  },
  magiclink: {
    subject: 'Dein Link zum Anmelden',
    lead: 'mit diesem Link meldest du dich ohne Passwort an. Er gilt nur einmal.',
    action: 'Anmelden',
    otherwise: 'Wenn du dich nicht anmelden wolltest, brauchst du nichts zu tun.',
  },
  recovery: {
    subject: 'Neues Passwort vergeben',
    lead: 'du möchtest ein neues Passwort vergeben. Der Link gilt nur einmal.',
    action: 'Neues Passwort vergeben',
    otherwise: 'Wenn du das nicht warst, brauchst du nichts zu tun: Dein Passwort bleibt, wie es ist.',
  },
  email_change: {
    subject: 'Bestätige die Änderung deiner E-Mail-Adresse',
    lead: 'du möchtest die E-Mail-Adresse deines Kontos ändern. Bitte bestätige die Änderung.',
    action: 'Änderung bestätigen',
    otherwise: 'Wenn du das nicht warst, bestätige nichts und ändere dein Passwort.',
  },
  reauthentication: {
    subject: 'Dein Code zur Bestätigung',
    lead: 'du möchtest dein Passwort ändern. Bitte bestätige mit diesem Code, dass du es bist.',
    action: '',
    otherwise: 'Wenn du das nicht warst, gib den Code niemandem und melde dich überall ab.',
  },
};

/** The words of a mail of the authentication service. */
export function wordAccountMail({ kind, link, code, validSeconds }: Omit<AccountMail, 'to'>): Wording {
  const { subject, lead, action, otherwise } = TEXTS[kind];
  const span = formatSpan(validSeconds);
  const valid = link === undefined ? `Der Code gilt ${span}.` : `Link und Code gelten ${span}.`;
  return {
    subject,
    paragraphs: ['Hallo,', lead],
    button: link === undefined ? undefined : { label: action, link },
    code: { label: link === undefined ? 'Gib diesen Code ein' : 'Oder gib diesen Code ein', value: code },
    closing: [`${valid}\n${otherwise}`],
  };
}

function formatSpan(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes % 60 !== 0) return minutes === 1 ? 'eine Minute' : `${minutes} Minuten`;
  return minutes === 60 ? 'eine Stunde' : `${minutes / 60} Stunden`;
}

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
