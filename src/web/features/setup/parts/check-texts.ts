import type { CheckedPart, CheckErrorCode, CheckFindings } from '#contract/setup-parts.ts';
import { formatPieces as formatCount } from '#contract/labels.ts';
import { formatBytes, formatDate } from '#web/ui/format.ts';

/** With one decimal at most: '3,2'; what would read as nothing with the first one that is something: '0,04'. */
export function formatDecimal(value: number): string {
  return value.toLocaleString('de-DE', value < 0.05 ? { maximumSignificantDigits: 1 } : { maximumFractionDigits: 1 });
}

type CheckText = Readonly<{
  action: string;
  running: string;
  about: string;
  success: (findings: CheckFindings) => string;
  /** Variables with the address and with the key or password. */
  address: string;
  key: string;
}>;

export const CHECK_TEXTS: Readonly<Record<CheckedPart, CheckText>> = {
  address: {
    action: 'Adresse prüfen',
    running: 'Adresse wird geprüft...',
    about: 'Ruft diesen Server unter seiner öffentlichen Adresse auf, prüft Zertifikat, große Anfragen und WebSockets.',
    success: ({ certificateUntil }) =>
      certificateUntil === undefined
        ? 'Der Server ist unter seiner Adresse erreichbar.'
        : `Der Server ist unter seiner Adresse erreichbar. Das Zertifikat gilt bis ${formatDate(certificateUntil)}.`,
    address: 'PUBLIC_URL',
    key: 'PUBLIC_URL',
  },
  mail: {
    action: 'Testmail senden',
    running: 'Testmail wird gesendet...',
    about: 'Geht nur an deine eigene E-Mail-Adresse.',
    success: ({ recipient = '' }) =>
      `Der Mailserver hat die Testmail an ${recipient} angenommen. Schau nach, ob sie ankommt.`,
    address: 'SMTP_URL',
    key: 'SMTP_URL',
  },
  'language-model': {
    action: 'Sprachmodell fragen',
    running: 'Sprachmodell wird gefragt...',
    about: 'Stellt eine kurze Frage. Das kostet so viel wie ein Satz.',
    success: ({ text = '' }) => `Das Sprachmodell antwortet: „${text}“`,
    address: 'LLM_URL',
    key: 'LLM_KEY',
  },
  voice: {
    action: 'Stimme prüfen',
    running: 'Stimme wird geprüft...',
    about: 'Lässt den Dienst ein paar Worte sprechen, oder den gehosteten Agenten ein Gespräch vorbereiten.',
    success: ({ audioSeconds }) =>
      audioSeconds === undefined
        ? 'Der gehostete Agent nimmt Gespräche an.'
        : `Der Dienst hat ${formatDecimal(audioSeconds)} s lang gesprochen.`,
    address: 'TTS_URL oder VOICE_AGENT_URL',
    key: 'TTS_KEY oder VOICE_AGENT_KEY',
  },
  storage: {
    action: 'Dateispeicher prüfen',
    running: 'Dateispeicher wird geprüft...',
    about: 'Schreibt eine kleine Datei, liest sie und löscht sie wieder.',
    success: () => 'Eine Datei wurde geschrieben, gelesen und wieder gelöscht.',
    address: 'S3_ENDPOINT',
    key: 'S3_ACCESS_KEY_ID und S3_SECRET_ACCESS_KEY',
  },
  backup: {
    action: 'Letzte Sicherung prüfen',
    running: 'Sicherung wird geprüft...',
    about: 'Sieht nach, ob die Datei der letzten Sicherung bis zu ihrem Ende vollständig ist.',
    success: ({ moved, files = 0, bytes = 0 }) =>
      moved === true
        ? 'Die Datei liegt nicht mehr dort, wo sie entstand, oder der Server darf sie nicht lesen. ' +
          'Spiel sie zur Probe auf einem anderen Rechner ein.'
        : `Die Sicherung ist vollständig: ${formatBytes(bytes)}, ${formatCount(files, 'Datei', 'Dateien')} von Beiträgen.`,
    address: 'DATA_DIR',
    key: 'DATA_DIR',
  },
  retention: {
    action: 'Frist probieren',
    running: 'Frist wird probiert...',
    about: 'Zählt, was heute gelöscht würde. Dabei wird nichts gelöscht.',
    success: ({ due = 0 }) =>
      due === 0
        ? 'Kein Beitrag ist älter als die Frist.'
        : `${formatCount(due, 'Beitrag ist', 'Beiträge sind')} älter als die Frist. ` +
          'Welche, zeigt der Eingang unter „Datenschutz“.',
    address: 'RETENTION_DAYS',
    key: 'RETENTION_DAYS',
  },
  'second-factors': {
    action: 'Administratoren prüfen',
    running: 'Administratoren werden geprüft...',
    about: 'Sieht nach, wie viele Administratoren einen zweiten Faktor eingerichtet haben.',
    success: ({ administrators = 0, withoutFactor = 0 }) =>
      withoutFactor === 0
        ? 'Jeder Administrator hat einen zweiten Faktor.'
        : `${withoutFactor} von ${formatCount(administrators, 'Administrator', 'Administratoren')} ` +
          `${withoutFactor === 1 ? 'hat' : 'haben'} noch keinen zweiten Faktor.`,
    address: 'MFA_REQUIRED_ROLES',
    key: 'MFA_REQUIRED_ROLES',
  },
};

/** Each says what to do next. */
export const CHECK_FAILURES: Readonly<Record<CheckErrorCode, (named: Pick<CheckText, 'address' | 'key'>) => string>> = {
  unknown_host: ({ address }) => `Diesen Rechnernamen gibt es nicht. Prüfe ${address}.`,
  unreachable: ({ address }) => `Unter der Adresse antwortet nichts. Prüfe Rechner und Port in ${address}.`,
  timeout: ({ address }) => `Es kam rechtzeitig keine Antwort. Prüfe ${address}, oder versuche es später.`,
  tls_failed: ({ address }) =>
    `Die verschlüsselte Verbindung kam nicht zustande. Prüfe Port und Protokoll in ${address}.`,
  certificate_untrusted: () =>
    'Dem Zertifikat vertraut kein Browser. Nimm eines, das für diesen Namen ausgestellt ist.',
  certificate_expired: () => 'Das Zertifikat ist abgelaufen. Erneuere es.',
  other_server: ({ address }) =>
    `Unter der Adresse antwortet etwas anderes als dieser Server. Prüfe ${address} und den Proxy.`,
  body_refused: () =>
    'Der Proxy weist große Anfragen ab, also Dateien und Aufnahmen. Erlaube ihm größere (nginx: client_max_body_size).',
  websocket_refused: () =>
    'Der Proxy lässt keine WebSockets durch, also kein Interview. Erlaube sie ihm (nginx: Upgrade und Connection).',
  login_refused: ({ key }) => `Der Mailserver nimmt die Anmeldung nicht an. Prüfe Name und Passwort in ${key}.`,
  sender_refused: () => 'Der Mailserver nimmt den Absender nicht an. Prüfe MAIL_FROM.',
  recipient_refused: () => 'Der Mailserver nimmt deine Adresse als Empfänger nicht an.',
  mail_refused: () => 'Der Mailserver nimmt die Mail nicht an.',
  key_refused: ({ key }) => `Der Dienst nimmt den Schlüssel nicht an. Prüfe ${key}.`,
  not_found: ({ address }) => `Der Dienst kennt die Adresse oder das Modell nicht. Prüfe ${address}.`,
  busy: () => 'Der Dienst hat zu viel zu tun, oder das Kontingent ist verbraucht. Versuche es später.',
  not_the_service: ({ address }) => `Es antwortet etwas anderes als der Dienst. Prüfe ${address}.`,
  empty_answer: () => 'Der Dienst antwortet, aber ohne Inhalt. Prüfe das Modell.',
  service_failed: () => 'Der Dienst meldet einen Fehler. Der Grund steht in seinem Protokoll.',
  disk_full: () => 'Auf dem Datenträger ist zu wenig Platz. Schaffe Platz.',
  backup_damaged: () => 'Die Datei der letzten Sicherung ist beschädigt oder unvollständig. Lege eine neue an.',
  wrong_content: () => 'Die Datei kam verändert zurück. Prüfe den Datenträger.',
  failed: () => 'Die Probe ist fehlgeschlagen. Versuche es noch einmal.',
};
