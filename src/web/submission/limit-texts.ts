import { BackendError, type BackendErrorKind } from '#web/backend/errors.ts';

type Message = Readonly<{ title: string; description: string }>;

const MESSAGES: Readonly<Partial<Record<BackendErrorKind, Message>>> = {
  'too-many': {
    title: 'Zu viele Beiträge',
    description: 'Von deinem Anschluss kam in der letzten Stunde sehr viel. Versuche es später noch einmal.',
  },
  'too-long': { title: 'Text zu lang', description: 'Der Text ist länger als erlaubt. Bitte kürze ihn.' },
  'contribution-full': {
    title: 'Beitrag voll',
    description: 'Dieser Beitrag nimmt nichts mehr auf. Beginne für alles Weitere einen neuen.',
  },
  quota: {
    title: 'Höchstmenge erreicht',
    description: 'Mehr ist ohne Anmeldung nicht möglich. Melde dich an oder lass Dateien weg.',
  },
  full: { title: 'Speicher voll', description: 'Unser Speicher ist gerade voll. Versuche es später noch einmal.' },
};

/** What to tell where the server refused something above a limit; undefined for every other error. */
export function limitMessage(error: unknown): Message | undefined {
  return error instanceof BackendError ? MESSAGES[error.kind] : undefined;
}

/** The same for what several files were refused for. */
export function limitMessageOf(kinds: readonly BackendErrorKind[]): Message | undefined {
  return kinds.map((kind) => MESSAGES[kind]).find((message) => message !== undefined);
}
