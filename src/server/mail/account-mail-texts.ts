import type { AccountMail } from '#backend/index.ts';
import type { Env } from '../env.ts';
import type { Wording } from './mail-layout.ts';

type Text = Readonly<{ subject: string; lead: string; action: string; otherwise: string }>;

/** The mails to a form that asks for their code. */
const WITH_CODE: readonly AccountMail['kind'][] = ['signup', 'magiclink', 'reauthentication'];

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
export function wordAccountMail(
  { kind, link, code, validSeconds }: Omit<AccountMail, 'to'>,
  { BRAND_PRODUCT, BRAND_ASSOCIATION }: Pick<Env, 'BRAND_PRODUCT' | 'BRAND_ASSOCIATION'>,
): Wording {
  const { subject, lead, action, otherwise } = TEXTS[kind];
  const span = formatSpan(validSeconds);
  const hasCode = WITH_CODE.includes(kind);
  const both = hasCode ? 'Link und Code gelten' : 'Der Link gilt';
  return {
    subject,
    paragraphs: ['Hallo,', lead],
    button: link === undefined ? undefined : { label: action, link },
    code: hasCode
      ? { label: link === undefined ? 'Gib diesen Code ein' : 'Oder gib diesen Code ein', value: code }
      : undefined,
    closing: [
      `${link === undefined ? 'Der Code gilt' : both} ${span}.\n${otherwise}`,
      `${BRAND_PRODUCT} · ${BRAND_ASSOCIATION}`,
    ],
  };
}

function formatSpan(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes % 60 !== 0) return minutes === 1 ? 'eine Minute' : `${minutes} Minuten`;
  return minutes === 60 ? 'eine Stunde' : `${minutes / 60} Stunden`;
}

/** The mail with which an administrator tries the mail server. */
export function wordTestMail(product: string): Wording {
  return {
    subject: `Testmail von ${product}`,
    paragraphs: [
      'Hallo,',
      `diese Mail hast du auf der Seite „Einrichtung“ von ${product} ausgelöst. Sie ist angekommen: Der Mailversand funktioniert.`,
    ],
    closing: ['Du brauchst nichts zu tun.'],
  };
}
