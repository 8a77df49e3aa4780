import type { DeskMail } from '#contract/desk.ts';
import { DESK_MAIL_LISTED_MAX } from '#contract/limits.ts';

const KINDS: Readonly<Record<string, string>> = {
  interview: 'Interview',
  voice_message: 'Sprachnachricht',
  video: 'Video',
  image: 'Bild',
  document: 'Dokument',
  contributor: 'Medien-Upload',
};

const AREAS: Readonly<Record<string, string>> = {
  generic: 'Verbandsbereich',
  'firma-a': 'Firma A',
  'firma-b': 'Firma B',
  testnormec: 'Testnormec',
};

const TOPICS: Readonly<Record<string, string>> = {
  'engineering-path': 'Weg ins Ingenieurwesen',
  'behind-scenes': 'Hinter den Kulissen',
  'tech-dive': 'Technik im Detail',
  'free-topic': 'Freies Thema',
};

export type Facts = Readonly<{
  contribution: number;
  kind: string;
  area: string;
  topic: string | null;
  contributor: string;
  firstName: string;
  product: string;
}>;

/** A mail in paragraphs; `button` stands between `paragraphs` and `closing`. */
export type Wording = Readonly<{
  subject: string;
  paragraphs: readonly string[];
  button?: Readonly<{ label: string; link: string }>;
  closing: readonly string[];
}>;

/** §2.11 promises both mails to the contributor: one for the review, one when it is live. `link`: the desk's, or the published one. */
export const WORDINGS: Readonly<Record<DeskMail, (facts: Facts, given: string, link: string) => Wording>> = {
  new: (facts, _given, link) => ({
    subject: `Neuer Beitrag ${facts.contribution}: ${KINDS[facts.kind] ?? facts.kind}${facts.contributor === '' ? '' : ` von ${facts.contributor}`}`,
    paragraphs: [
      'Hallo,',
      'ein neuer Beitrag ist vollständig eingegangen.',
      [
        `Beitrag: ${facts.contribution}`,
        `Art: ${KINDS[facts.kind] ?? facts.kind}`,
        `Bereich: ${AREAS[facts.area] ?? facts.area}`,
        ...(facts.topic === null ? [] : [`Thema: ${TOPICS[facts.topic] ?? facts.topic}`]),
        `Von: ${facts.contributor === '' ? 'ohne Namen' : facts.contributor}`,
      ].join('\n'),
    ],
    button: { label: 'Beitrag ansehen', link },
    closing: [forTheTeam(facts.product)],
  }),
  for_review: (facts, given) => ({
    subject: `Dein Beitrag ${facts.contribution}: bitte einmal durchsehen`,
    paragraphs: given === '' ? [hello(facts), ...REVIEW] : given.split(/\n{2,}/),
    closing: [footer(facts)],
  }),
  published: (facts, given) => ({
    subject: `Dein Beitrag ${facts.contribution} ist veröffentlicht`,
    paragraphs: [hello(facts), 'aus deinem Beitrag ist etwas geworden: Er ist jetzt veröffentlicht.'],
    button: { label: 'Beitrag ansehen', link: given },
    closing: ['Vielen Dank, dass du mitgemacht hast!', footer(facts)],
  }),
};

export type Digest = Readonly<{
  listed: readonly Pick<Facts, 'contribution' | 'kind' | 'area'>[];
  /** Of all contributions, listed or not. */
  count: number;
  product: string;
  inbox: string;
}>;

/**
 * Several new contributions in one mail. Each one's link stands in it, because an erasure finds mails by it, and no name,
 * because a person's export holds the mails about their contributions.
 */
export function digestWording({ listed, count, product, inbox }: Digest): Wording {
  const shown = listed.slice(0, DESK_MAIL_LISTED_MAX);
  const lines = shown.map(
    ({ contribution, kind, area }) => `${KINDS[kind] ?? kind} (${AREAS[area] ?? area}): ${inbox}/${contribution}`,
  );
  const rest = count > shown.length ? [`… und ${count - shown.length} weitere.`] : [];
  return {
    subject: `${count} neue Beiträge`,
    paragraphs: ['Hallo,', `${count} neue Beiträge sind vollständig eingegangen.`, [...lines, ...rest].join('\n')],
    button: { label: 'Eingang öffnen', link: inbox },
    closing: [forTheTeam(product)],
  };
}

function forTheTeam(product: string): string {
  return `Du bekommst diese E-Mail, weil du Beiträge in ${product} bearbeitest.`;
}

const REVIEW = [
  'aus deinem Beitrag ist ein Entwurf entstanden, und wir möchten ihn mit dir abstimmen.',
  'Antworte einfach auf diese E-Mail, wenn du ihn sehen oder etwas ergänzen möchtest.',
];

function hello({ firstName }: Facts): string {
  return firstName === '' ? 'Hallo,' : `Hallo ${firstName},`;
}

function footer({ contribution, product }: Facts): string {
  return `Content-ID ${contribution} · ${product}`;
}
