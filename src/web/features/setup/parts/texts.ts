import { BACKUP_OVERDUE_DAYS, type PartState, type SetupPartName, type SetupParts } from '#contract/setup-parts.ts';
import { formatBytes, formatDate, formatMoment, formatNumber } from '#web/ui/format.ts';
import { formatDecimal } from './check-texts.ts';

export type Fact = readonly [name: string, value: string];

type Text<Part extends SetupPartName> = Readonly<{
  title: string;
  /** One line under the title. */
  describe: (part: SetupParts[Part]) => string;
  /** The next step, in the summary. */
  next: Readonly<Record<Exclude<PartState, 'ready'>, string>>;
  facts: (part: SetupParts[Part]) => readonly Fact[];
  /** What to do, and lines to copy into the environment. */
  how: string;
  lines: readonly string[];
  docs: string;
}>;

const TRANSCRIBERS = {
  service: 'Ein Dienst schreibt Sprachnachrichten auf.',
  model: 'Ein Modell auf diesem Server schreibt Sprachnachrichten auf.',
  nothing: 'Auf dem Server schreibt nichts Sprachnachrichten auf.',
} as const;

const ENGINES = {
  hosted: 'Ein gehosteter Sprachagent führt die Interviews.',
  embedded: 'Dieser Server führt die Interviews.',
  text: 'Interviews laufen als Chat: Auf dem Server schreibt nichts Gesprochenes auf.',
} as const;

const STORES = {
  disk: 'Ordner auf diesem Server',
  s3: 'S3-Speicher',
  hosted: 'Gehostetes Projekt',
} as const;

const SERVICE_KEY = 'SUPABASE_SERVICE_KEY';
const KEY_MISSING = `Für das gehostete Projekt fehlt ${SERVICE_KEY}.`;

export const PART_TEXTS: { readonly [Part in SetupPartName]: Text<Part> } = {
  address: {
    title: 'Adresse und TLS',
    describe: ({ publicUrl, lacks }) => {
      if (publicUrl === null)
        return 'Der Server kennt seine öffentliche Adresse nicht. Links in Mails führen ins Leere.';
      if (lacks.includes('PUBLIC_URL'))
        return `${publicUrl} ist nicht verschlüsselt. Ohne https gibt der Browser kein Mikrofon frei.`;
      if (lacks.includes('TRUST_PROXY'))
        return 'Der Server weiß nichts von dem Proxy vor ihm. Alle Besucher zählen als einer.';
      return `Erreichbar unter ${publicUrl}.`;
    },
    next: { missing: 'Öffentliche Adresse eintragen', broken: 'Adresse in Ordnung bringen' },
    facts: ({ publicUrl, check }) => [
      ...(publicUrl === null ? [] : [['Adresse', publicUrl] as const]),
      ...(check?.findings.certificateUntil === undefined
        ? []
        : [['Zertifikat gilt bis', formatDate(check.findings.certificateUntil)] as const]),
    ],
    how: 'Stelle einen Proxy mit Zertifikat vor den Server und trage seine Adresse ein.',
    lines: ['PUBLIC_URL=https://beitrag.example.de', 'TRUST_PROXY=true'],
    docs: 'docs/operations.md#tls',
  },
  mail: {
    title: 'Mailversand',
    describe: ({ host, sender, lacks }) => {
      if (lacks.includes(SERVICE_KEY)) return `Dieser Server verschickt keine Mails: ${KEY_MISSING}`;
      return host === null
        ? 'Mails verlassen den Server nicht: Jede bleibt als Datei im Ordner outbox.'
        : `Über ${host}, von ${sender}.`;
    },
    next: { missing: 'Mailversand einrichten', broken: 'Mailversand in Ordnung bringen' },
    facts: ({ host, sender }) =>
      host === null
        ? []
        : [
            ['Mailserver', host],
            ['Absender', sender],
          ],
    how: 'Trage den Mailserver mit Name und Passwort ein, und den Absender.',
    lines: ['SMTP_URL=smtp://name:passwort@mail.example.de:587', "MAIL_FROM='Beitrag <beitrag@example.de>'"],
    docs: 'docs/operations.md#mail',
  },
  transcription: {
    title: 'Transkription',
    describe: ({ by }) => TRANSCRIBERS[by],
    next: { missing: 'Transkription einrichten', broken: 'Transkription in Ordnung bringen' },
    facts: () => [],
    how: 'Installiere oben ein Modell, oder trage die Adresse eines Dienstes ein.',
    lines: ['TRANSCRIPTION_URL=https://api.example.com/v1', 'TRANSCRIPTION_KEY=schluessel'],
    docs: 'docs/transcription.md#set-up',
  },
  'language-model': {
    title: 'Sprachmodell',
    describe: ({ host, model }) =>
      host === null
        ? 'Ohne Sprachmodell gibt es keine Entwürfe, und Interviews folgen festen Fragen.'
        : `${model} bei ${host}.`,
    next: { missing: 'Sprachmodell eintragen', broken: 'Sprachmodell in Ordnung bringen' },
    facts: ({ host, model }) =>
      host === null
        ? []
        : [
            ['Dienst', host],
            ['Modell', model],
          ],
    how: 'Trage einen Dienst mit der Schnittstelle von OpenAI ein; er darf auch auf diesem Rechner laufen.',
    lines: ['LLM_URL=https://api.example.com/v1', 'LLM_KEY=schluessel', 'LLM_MODEL=gpt-4o-mini'],
    docs: 'docs/posts.md#drafting-with-a-model',
  },
  voice: {
    title: 'Stimme im Interview',
    describe: ({ engine, lacks }) =>
      lacks.includes('TTS_URL') && engine === 'embedded'
        ? 'Interviews ohne eigene Stimme: Die Fragen spricht der Browser.'
        : ENGINES[engine],
    next: { missing: 'Stimme eintragen', broken: 'Stimme in Ordnung bringen' },
    facts: ({ host }) => (host === null ? [] : [['Dienst', host]]),
    how:
      'Trage einen Sprachdienst ein. Dazu braucht es eine Transkription. Ein gehosteter Agent geht ' +
      'stattdessen mit VOICE_AGENT_URL.',
    lines: ['TTS_URL=https://api.example.com/v1', 'TTS_KEY=schluessel', 'TTS_VOICE=alloy'],
    docs: 'docs/interview.md#engines',
  },
  storage: {
    title: 'Dateien und freier Platz',
    describe: ({ kind, freeBytes, minimumFreeBytes, totalBytes }) => {
      if (kind === 'hosted') return 'Die Dateien liegen im gehosteten Projekt.';
      const where = kind === 's3' ? ' für temporäre Dateien' : '';
      return freeBytes < minimumFreeBytes
        ? `Nur noch ${formatBytes(freeBytes)}${where} frei: Uploads werden abgelehnt.`
        : `${formatBytes(freeBytes)} von ${formatBytes(totalBytes)}${where} frei.`;
    },
    next: { missing: 'Dateispeicher einrichten', broken: 'Platz schaffen oder Dateispeicher prüfen' },
    facts: ({ kind, freeBytes, totalBytes, minimumFreeBytes }) => [
      ['Dateien liegen in', STORES[kind]],
      ...(kind === 'hosted'
        ? []
        : [
            ['Frei', `${formatBytes(freeBytes)} von ${formatBytes(totalBytes)}`] as const,
            ['Uploads enden unter', formatBytes(minimumFreeBytes)] as const,
          ]),
    ],
    how:
      'Die Dateien liegen im Datenordner, oder in einem S3-Speicher, wenn du ihn einträgst. Ein gehostetes ' +
      'Projekt braucht SUPABASE_SERVICE_KEY.',
    lines: ['DATA_DIR=/var/lib/beitrag', 'FREE_DISK_BYTES=536870912'],
    docs: 'docs/operations.md#s3',
  },
  backup: {
    title: 'Sicherung',
    describe: describeBackup,
    next: { missing: 'Erste Sicherung anlegen', broken: 'Sicherung in Ordnung bringen' },
    facts: ({ last }) =>
      last === null
        ? []
        : [
            ['Letzte Sicherung', formatMoment(last.at)],
            ['Datei', last.file ?? '–'],
            ['Größe', formatBytes(last.bytes)],
          ],
    how:
      'Lege jede Nacht eine Sicherung an, etwa mit cron: im Ordner der Anwendung und mit den Variablen des Servers. ' +
      'Bewahre sie auf einem anderen Rechner auf.',
    lines: ['cd /srv/beitrag && npm run backup -- /backups/$(date -I).tar'],
    docs: 'docs/operations.md#backup',
  },
  retention: {
    title: 'Aufbewahrung',
    describe: ({ days, lacks }) => {
      if (days === null) return 'Beiträge bleiben, bis jemand sie löscht.';
      if (lacks.includes(SERVICE_KEY)) return `Nichts wird gelöscht: ${KEY_MISSING}`;
      return `Beiträge werden nach ${days === 1 ? 'einem Tag' : `${days} Tagen`} gelöscht.`;
    },
    next: { missing: 'Aufbewahrung einrichten', broken: 'Frist prüfen' },
    facts: () => [],
    how:
      'Lege fest, nach wie vielen Tagen Beiträge gelöscht werden. ' +
      'Im Eingang steht unter „Datenschutz“ vorher, was geht.',
    lines: ['RETENTION_DAYS=365'],
    docs: 'docs/operations.md#peoples-rights-dsgvo',
  },
  'second-factors': {
    title: 'Zweiter Faktor',
    describe: ({ roles }) => {
      if (roles === null) return 'Das gehostete Projekt bestimmt, wer einen zweiten Faktor braucht.';
      return roles.includes('admin')
        ? 'Administratoren brauchen einen zweiten Faktor.'
        : 'Administratoren kommen mit dem Passwort allein hinein.';
    },
    next: { missing: 'Zweiten Faktor für Administratoren verlangen', broken: 'Zweiten Faktor prüfen' },
    facts: ({ roles }) => (roles === null || roles.length === 0 ? [] : [['Verlangt von', roles.join(', ')]]),
    how: 'Richte unter „Konto“ erst deinen eigenen zweiten Faktor ein, dann verlange ihn von den Rollen.',
    lines: ['MFA_REQUIRED_ROLES=admin,vdi_admin'],
    docs: 'docs/authentication.md#authmfa',
  },
  versions: {
    title: 'Versionen',
    describe: ({ application, node }) => `Anwendung ${application}, Node ${node}.`,
    next: { missing: 'Versionen prüfen', broken: 'Versionen prüfen' },
    facts: ({ application, node, database, migration }) => [
      ['Anwendung', application],
      ['Node', node],
      ['PostgreSQL', database ?? 'im gehosteten Projekt'],
      ...(migration === null ? [] : [['Neueste Migration', migration] as const]),
    ],
    how: 'Lege vor jedem Update eine Sicherung an, halte den Server an, hole die neue Version und starte ihn.',
    lines: ['npm start'],
    docs: 'docs/operations.md#upgrade',
  },
};

function describeBackup({ isHosted, isOverdue, last, failed }: SetupParts['backup']): string {
  if (isHosted) return 'Ein gehostetes Projekt sichert sich mit seinen eigenen Mitteln. Prüfe sie dort.';
  if (failed !== null) return `Der letzte Versuch vom ${formatMoment(failed.at)} ist fehlgeschlagen.`;
  if (last === null) return 'Es gibt noch keine Sicherung.';
  if (isOverdue) return `Die letzte Sicherung ist älter als ${BACKUP_OVERDUE_DAYS} Tage: ${formatMoment(last.at)}.`;
  if (last.result === 'incomplete') {
    const missing = last.missing === 1 ? 'fehlt 1 Datei' : `fehlen ${formatNumber(last.missing)} Dateien`;
    return `In der letzten Sicherung ${missing}.`;
  }
  return `Letzte Sicherung: ${formatMoment(last.at)}.`;
}

export const partsTexts = {
  states: { ready: 'In Ordnung', missing: 'Nicht eingerichtet', broken: 'Gestört' },
  summary: (ready: number, all: number) => `${ready} von ${all} Teilen ${ready === 1 ? 'ist' : 'sind'} in Ordnung`,
  allReady: 'Alles ist eingerichtet.',
  next: 'Nächster Schritt:',
  list: 'Teile',
  how: 'So stellst du es ein',
  restart: 'Die Zeilen gehören in die Umgebung des Servers. Sie gelten nach seinem nächsten Start.',
  docs: 'Anleitung:',
  copy: (line: string) => `Kopieren: ${line}`,
  copyFailed: 'Das Kopieren hat nicht geklappt. Markiere die Zeile und kopiere sie selbst.',
  probe: 'Probe',
  untried: 'Seit dem Start des Servers noch nicht geprüft.',
  leave: 'Du kannst die Seite verlassen; die Probe läuft weiter.',
  elapsed: (seconds: number) => `${seconds} s`,
  at: (iso: string, seconds: number) => `Geprüft am ${formatMoment(iso)}, in ${formatDecimal(seconds)} s`,
  reason: 'Antwort:',
} as const;
