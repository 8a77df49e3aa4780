import type { DeskMail } from '#contract/desk.ts';
import { formatArea, formatKind, formatTopic } from '#contract/labels.ts';
import { DESK_MAIL_LISTED_MAX } from '#contract/limits.ts';
import type { QueuedMail } from './desk-queue.ts';
import type { Message } from './message.ts';
import { renderWording, type Wording } from './template.ts';

export type MailContext = Readonly<{
  /** Where users reach the application. */
  origin: string;
  product: string;
}>;

const NAME_MAX = 80;

/** Names and texts come from outside: a name becomes one line, cut where a subject would not end. */
export function composeDeskMail(mail: QueuedMail, { origin, product }: MailContext): Message {
  const facts = {
    ...mail,
    contributor: shortenLine(mail.contributor),
    firstName: shortenLine(mail.firstName ?? ''),
    product,
  };
  const inbox = `${origin}/admin/eingang`;
  const given = (mail.text ?? '').replaceAll(/\r\n?/g, '\n').trim();
  const wording =
    mail.count > 1
      ? wordDigest({ listed: [mail, ...mail.others], count: mail.count, product, inbox })
      : WORDINGS[mail.mail](facts, given, `${inbox}/${mail.contribution}`);
  const replyTo = mail.replyTo ?? undefined;
  return { id: mail.messageId, at: mail.createdAt, to: mail.to, replyTo, ...renderWording(wording) };
}

/** Also removes control characters and marks that change the direction of a text. */
function shortenLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > NAME_MAX ? `${line.slice(0, NAME_MAX)}…` : line;
}

type Facts = Readonly<{
  contribution: number;
  kind: string;
  area: string;
  topic: string | null;
  contributor: string;
  firstName: string;
  product: string;
}>;

/**
 * §2.11 promises both mails to the contributor: one for the review, one when it is live. `link`: the desk's, or the
 * published one.
 */
const WORDINGS: Readonly<Record<DeskMail, (facts: Facts, given: string, link: string) => Wording>> = {
  new: (facts, _given, link) => ({
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
    button: { label: 'Beitrag ansehen', link },
    closing: [wordReason(facts.product)],
  }),
  for_review: (facts, given) => ({
    subject: `Dein Beitrag ${facts.contribution}: bitte einmal durchsehen`,
    paragraphs: given === '' ? [greet(facts), ...REVIEW] : given.split(/\n{2,}/),
    closing: [wordFooter(facts)],
  }),
  published: (facts, given) => ({
    subject: `Dein Beitrag ${facts.contribution} ist veröffentlicht`,
    paragraphs: [greet(facts), 'aus deinem Beitrag ist etwas geworden: Er ist jetzt veröffentlicht.'],
    button: { label: 'Beitrag ansehen', link: given },
    closing: ['Vielen Dank, dass du mitgemacht hast!', wordFooter(facts)],
  }),
};

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
  const rest = count > shown.length ? [`… und ${count - shown.length} weitere.`] : [];
  return {
    subject: `${count} neue Beiträge`,
    paragraphs: ['Hallo,', `${count} neue Beiträge sind vollständig eingegangen.`, [...lines, ...rest].join('\n')],
    button: { label: 'Eingang öffnen', link: inbox },
    closing: [wordReason(product)],
  };
}

function wordReason(product: string): string {
  return `Du bekommst diese E-Mail, weil du Beiträge in ${product} bearbeitest.`;
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
