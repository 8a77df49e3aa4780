import type { DeskMail } from '#contract/desk.ts';
import { findChannel } from '#contract/channels.ts';
import { formatArea, formatKind, formatTopic } from '#contract/labels.ts';
import { DESK_MAIL_LISTED_MAX } from '#contract/limits.ts';
import type { QueuedMail, ReceivedFacts } from './desk-queue.ts';
import type { Message } from './message.ts';
import { renderWording, shortenLine, type Wording } from './mail-layout.ts';

export type MailContext = Readonly<{
  /** Where users reach the application. */
  origin: string;
  product: string;
  /** `MAIL_FROM` is given, so somebody reads what is answered to it. */
  isSenderRead: boolean;
  /** Days after completion at which contributions are erased; undefined: they are kept. */
  retentionDays?: number | undefined;
}>;

/** Names and texts come from outside: a name becomes one line, cut where a subject would not end. */
export function composeDeskMail(
  mail: QueuedMail,
  { origin, product, isSenderRead, retentionDays }: MailContext,
  reviewKey: string | undefined,
): Message {
  const facts = {
    ...mail,
    contributor: shortenLine(mail.contributor),
    firstName: shortenLine(mail.firstName ?? ''),
    product,
    retentionDays,
    isAnswerRead: isSenderRead || mail.replyTo !== null,
  };
  const inbox = `${origin}/admin/eingang`;
  const links = { desk: `${inbox}/${mail.contribution}`, review: `${origin}/freigabe#k=${reviewKey ?? ''}` };
  const wording =
    mail.count > 1
      ? wordDigest({ listed: [mail, ...mail.others], count: mail.count, product, inbox })
      : WORDINGS[mail.mail](facts, (mail.text ?? '').replaceAll(/\r\n?/g, '\n').trim(), links);
  const { messageId: id, createdAt: at, to, replyTo } = mail;
  return { id, at, to, replyTo: replyTo ?? undefined, ...renderWording(wording) };
}

type Facts = Readonly<{
  contribution: number;
  kind: string;
  area: string;
  topic: string | null;
  contributor: string;
  firstName: string;
  product: string;
  channels: readonly string[];
  declined: readonly string[];
  withdrawn: readonly string[];
  received: ReceivedFacts | null;
  retentionDays: number | undefined;
  isAnswerRead: boolean;
}>;

/** `review`: its key stands behind '#', so it reaches no log, no referrer and no mail scanner's request. */
type Links = Readonly<{ desk: string; review: string }>;

/** The texts of each kind of mail (DESK_MAILS); §2.11 promises `for_review` and `published`. */
const WORDINGS: Readonly<Record<DeskMail, (facts: Facts, given: string, links: Links) => Wording>> = {
  new: (facts, _given, { desk }) => ({
    subject: `Neuer Beitrag ${facts.contribution}: ${formatKind(facts.kind)}${wordSender(facts)}`,
    paragraphs: [
      'Hallo,',
      'ein neuer Beitrag ist vollständig eingegangen.',
      [
        `Beitrag: ${facts.contribution}`,
        `Art: ${formatKind(facts.kind)}`,
        `Bereich: ${formatArea(facts.area)}`,
        ...(facts.topic === null ? [] : [`Thema: ${formatTopic(facts.topic)}`]),
        `Von: ${facts.contributor === '' ? 'ohne Namen' : facts.contributor}`,
      ].join('\n'),
    ],
    button: { label: 'Beitrag ansehen', link: desk },
    closing: [wordReason(facts.product)],
  }),
  for_review: (facts, given) => ({
    subject: `Dein Beitrag ${facts.contribution}: bitte einmal durchsehen`,
    paragraphs: given === '' ? [greet(facts), ...REVIEW] : given.split(/\n{2,}/),
    linked: given !== '',
    closing: [wordFooter(facts)],
  }),
  published: (facts, given) => ({
    subject: `Dein Beitrag ${facts.contribution} ist veröffentlicht`,
    paragraphs: [greet(facts), 'aus deinem Beitrag ist etwas geworden: Er ist jetzt veröffentlicht.'],
    button: { label: 'Beitrag ansehen', link: given },
    closing: ['Vielen Dank, dass du mitgemacht hast!', wordFooter(facts)],
  }),
  review: (facts, _given, { review }) =>
    facts.channels.length === 0
      ? {
          ...wordReview(facts, review, [
            'hier ist der Link zu dem, was aus deinem Beitrag geworden ist. Du siehst dort, wo er steht.',
          ]),
          subject: `Dein Beitrag ${facts.contribution}: dein Link`,
          button: { label: 'Ansehen', link: review },
        }
      : wordReview(facts, review, [
          `aus deinem Beitrag ${wordPosts(facts.channels, 'ist ein Post', 'sind # Posts')} entstanden` +
            `${listChannels(facts.channels)}.`,
          'Schau bitte, ob alles stimmt. Du kannst zustimmen, etwas ändern lassen oder Nein sagen. Ohne ' +
            'deine Zustimmung wird nichts veröffentlicht.',
        ]),
  review_reminder: (facts, _given, { review }) => ({
    ...wordReview(facts, review, [
      `${wordPosts(facts.channels, 'ein Post wartet', '# Posts warten')} noch auf deine Antwort${listChannels(facts.channels)}.`,
      'Dieser Link ersetzt den aus unserer letzten E-Mail. Ohne deine Zustimmung wird nichts veröffentlicht.',
    ]),
    subject: `Erinnerung: Dein Beitrag ${facts.contribution} wartet auf deine Antwort`,
  }),
  receipt: (facts) => wordReceipt(facts),
  review_answer: (facts, _given, { desk }) => ({
    subject: `Beitrag ${facts.contribution}: ${nameAnswer(facts)}${wordSender(facts)}`,
    paragraphs: ['Hallo,', ...wordAnswers(facts), 'Was gewünscht ist, steht bei den Posts.'],
    button: { label: 'Posts öffnen', link: `${desk}?ansicht=posts` },
    closing: [wordReason(facts.product)],
  }),
};

function wordPosts(channels: Facts['channels'], one: string, many: string): string {
  return channels.length === 1 ? one : many.replace('#', String(channels.length));
}

function nameAnswer({ channels, declined, withdrawn }: Facts): string {
  if (withdrawn.length > 0) return 'Zustimmung zurückgezogen';
  return channels.length === 0 && declined.length > 0 ? 'Nicht veröffentlichen' : 'Änderung gewünscht';
}

/** A paragraph for each kind of answer. The first one goes on after 'Hallo,'. */
function wordAnswers({ channels, declined, withdrawn }: Facts): string[] {
  const answers = [
    { posts: channels, one: 'Ein Post soll', many: '# Posts sollen', what: 'geändert werden', ask: '' },
    {
      posts: declined,
      one: 'Ein Post soll',
      many: '# Posts sollen',
      what: 'nicht erscheinen',
      ask: wordPosts(
        declined,
        ' Ist er im Kanal schon geplant, nimm ihn dort heraus.',
        ' Sind sie im Kanal schon geplant, nimm sie dort heraus.',
      ),
    },
    {
      posts: withdrawn,
      one: 'Ein veröffentlichter Post wurde',
      many: '# veröffentlichte Posts wurden',
      what: 'zurückgezogen',
      ask: ` Bitte nimm ${wordPosts(withdrawn, 'ihn', 'sie')} im Kanal herunter.`,
    },
  ];
  return answers
    .filter(({ posts }) => posts.length > 0)
    .map(({ posts, one, many, what, ask }) => `${wordPosts(posts, one, many)} ${what}${listChannels(posts)}.${ask}`)
    .map((text, place) => (place === 0 ? text.replace(/^E/, 'e') : text));
}

function wordReview(facts: Facts, link: string, paragraphs: readonly string[]): Wording {
  return {
    subject: `Dein Beitrag ${facts.contribution}: Passt das so?`,
    paragraphs: [greet(facts), ...paragraphs],
    button: { label: 'Ansehen und antworten', link },
    closing: [
      'Der Link gilt 30 Tage und ist nur für dich: Wer ihn hat, kann für dich antworten. Du brauchst kein Passwort.',
      wordFooter(facts),
    ],
  };
}

/** An unknown channel is written as it is. */
function listChannels(channels: readonly string[]): string {
  const names = [...new Set(channels)].map((channel) => findChannel(channel)?.name ?? channel);
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

type Digest = Readonly<{
  listed: readonly Pick<Facts, 'contribution' | 'kind' | 'area'>[];
  /** Of all contributions, listed or not. */
  count: number;
  product: string;
  inbox: string;
}>;

/**
 * Several new contributions in one mail. Each one's link stands in it, because an erasure finds mails by it, and no
 * name, because a person's export holds the mails about their contributions.
 */
function wordDigest({ listed, count, product, inbox }: Digest): Wording {
  const shown = listed.slice(0, DESK_MAIL_LISTED_MAX);
  const lines = shown.map(
    ({ contribution, kind, area }) => `${formatKind(kind)} (${formatArea(area)}): ${inbox}/${contribution}`,
  );
  const rest =
    count > shown.length
      ? [`… und ${count - shown.length} ${count === shown.length + 1 ? 'weiterer' : 'weitere'}.`]
      : [];
  return {
    subject: `${count} neue Beiträge`,
    paragraphs: ['Hallo,', `${count} neue Beiträge sind vollständig eingegangen.`, [...lines, ...rest].join('\n')],
    linked: true,
    button: { label: 'Eingang öffnen', link: inbox },
    closing: [wordReason(product)],
  };
}

function wordReason(product: string): string {
  return `Du bekommst diese E-Mail, weil du Beiträge in „${product}“ bearbeitest.`;
}

const REVIEW = [
  'aus deinem Beitrag ist ein Entwurf entstanden, und wir möchten ihn mit dir abstimmen.',
  'Antworte einfach auf diese E-Mail, wenn du ihn sehen oder etwas ergänzen möchtest.',
];

function greet({ firstName }: Facts): string {
  return firstName === '' ? 'Hallo,' : `Hallo ${firstName},`;
}

function wordSender({ contributor }: Facts): string {
  return contributor === '' ? '' : ` von ${contributor}`;
}

function wordFooter({ contribution, product }: Facts): string {
  return `Content-ID ${contribution} · ${product}`;
}

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

const ASK =
  'Hast du eine Frage, oder soll dein Beitrag gelöscht werden? Antworte einfach auf diese E-Mail und nenne die Content-ID.';
const OBJECT = ' Antworte auf diese E-Mail, und wir löschen sie.';

/** Greets without a name: a person who types a stranger's address must not put words into this mail. */
function wordReceipt({ contribution, kind, product, received, retentionDays, isAnswerRead }: Facts): Wording {
  return {
    subject: `Dein Beitrag ${contribution} ist angekommen`,
    paragraphs: [
      'Hallo,',
      'dein Beitrag ist vollständig angekommen. Danke!',
      ['Das haben wir bekommen:', ...listReceived(kind, received), `Content-ID: ${contribution}`].join('\n'),
      'Wie es weitergeht: Unser Team schaut sich alles an und macht daraus einen Vorschlag. Du siehst ' +
        'ihn, bevor er erscheint, und kannst ändern lassen oder Nein sagen.',
      ...wordDeletion(received, retentionDays),
      ...(isAnswerRead ? [ASK] : []),
    ],
    closing: [
      `Du hast nichts eingereicht? Dann hat jemand deine Adresse angegeben.${isAnswerRead ? OBJECT : ''}`,
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
