import type { FactKind } from '#contract/evidence/index.ts';
import { formatPlace } from '#contract/channels.ts';
import type { PostState } from '#contract/posts.ts';
import { formatPieces as count } from '#contract/labels.ts';
import { formatMoment, formatNumber } from '#web/ui/format.ts';

export const postTexts = {
  view: 'Ansicht des Beitrags',
  material: 'Material',
  posts: (number: number) => (number === 0 ? 'Posts' : `Posts (${number})`),
  title: 'Posts',
  loading: 'Lade Posts...',
  empty: 'Noch kein Post',
  emptyText: 'Leg den ersten an: für einen Kanal, aus dem, was hier erzählt und gezeigt wird.',
  add: 'Post anlegen',
  addFor: 'Kanal',
  list: 'Posts dieses Beitrags',
  states: {
    draft: 'Entwurf',
    in_review: 'Zur Freigabe',
    approved: 'Freigegeben',
    changes_requested: 'Änderung gewünscht',
    declined: 'Gestoppt',
    published: 'Veröffentlicht',
  } satisfies Readonly<Record<PostState, string>>,
  link: {
    waiting: 'Die E-Mail mit dem Link geht gleich hinaus.',
    sent: (at: string) => `Freigabe-Link verschickt: ${formatMoment(at)}`,
    opened: (at: string) => `zuerst geöffnet: ${formatMoment(at)}`,
    expired: (at: string) => `abgelaufen: ${formatMoment(at)}`,
    none: 'Zurzeit gilt kein Freigabe-Link.',
    unopened: 'noch nicht geöffnet',
    again: 'Link noch einmal senden',
    againDone: { title: 'Neuer Link ist unterwegs', description: 'Der vorige Link gilt dann nicht mehr.' },
  },
  body: 'Text',
  bodyHint:
    'Unterstrichen ist, was im Material nicht zu finden ist. Setz den Cursor in einen Satz, und du ' +
    'siehst seinen Beleg.',
  begin: 'Aus dem Material beginnen',
  beginHint: 'Nimmt die Antworten auf die W-Fragen und die stärksten Sätze, im Wortlaut.',
  save: 'Speichern',
  saving: 'Speichere...',
  saved: 'Gespeichert',
  unsaved: 'Nicht gespeichert, auf diesem Gerät gesichert',
  notKept: 'Nicht gespeichert, und dieses Gerät kann nichts sichern',
  restored: {
    title: 'Nicht gespeicherter Text von diesem Gerät',
    text: 'Er steht wieder im Feld.',
    action: 'Verwerfen',
  },
  lost: {
    title: (channel: string) => `Der Post für ${channel} wurde inzwischen gelöscht`,
    text: 'Jemand anderes hat ihn gelöscht. Das hast du geschrieben und nicht gespeichert:',
    discard: 'Verwerfen',
  },
  draftAgain: 'Speichern macht daraus wieder einen Entwurf. Dann braucht er eine neue Freigabe.',
  publishedText: 'Dieser Text steht im Kanal. Zum Ändern wähle unter „Weitere Aktionen“ erst „Aus dem Kanal genommen“.',
  publishedUnsaved:
    'Was du geschrieben und nicht gespeichert hast, bleibt auf diesem Gerät und steht dann wieder im Feld.',
  counter: {
    label: 'Zählung des Kanals',
    characters: (now: number, most: number) => `${formatNumber(now)} von ${formatNumber(most)} Zeichen`,
    tooLong: (over: number) => `${count(over, 'Zeichen', 'Zeichen')} zu viel`,
    hashtags: (now: number, most: number | null) =>
      most === null
        ? count(now, 'Hashtag', 'Hashtags')
        : `${formatNumber(now)} von ${count(most, 'Hashtag', 'Hashtags')}`,
    pictures: (now: number, most: number) => `${formatNumber(now)} von ${count(most, 'Bild', 'Bildern')}`,
    picturesMissing: (least: number) => `Mindestens ${count(least, 'Bild', 'Bilder')}`,
  },
  preview: (channel: string) => `So sieht es ${formatPlace(channel)} aus`,
  pictures: {
    title: 'Bilder',
    none: 'Zu diesem Beitrag gibt es keine Bilder.',
    use: 'Verwenden',
    useNamed: (name: string) => `${name} verwenden`,
    alt: (name: string) => `Alternativtext von ${name}`,
    altHint: 'Sagt in einem Satz, was zu sehen ist.',
    altMissing: 'Fehlt noch. Vor der Freigabe braucht jedes Bild einen.',
    up: (name: string) => `${name} nach vorn`,
    down: (name: string) => `${name} nach hinten`,
    moved: (name: string, place: number) => `${name} steht jetzt an Stelle ${place}.`,
    name: (number: number) => `Bild ${number}`,
  },
  evidence: {
    title: 'Beleg',
    none: 'Setz den Cursor in einen Satz, und hier steht, worauf er sich stützt.',
    quoted: 'Wörtlich gesagt',
    paraphrased: 'Sinngemäß gesagt',
    unsupported: 'Nicht belegt',
    nearest: 'Am nächsten kommt:',
    nothing: 'Im Material steht dazu nichts.',
    missing: 'Nicht im Material:',
    play: 'Stelle anhören',
    source: { answer: 'W-Frage', file: 'Dateiname', alternative: 'Alternativtext', transcript: 'Transkript' },
    summary: (number: number) =>
      number === 0 ? 'Alle Angaben sind belegt.' : `${count(number, 'Angabe ist', 'Angaben sind')} nicht belegt:`,
    kinds: {
      number: 'Zahl',
      unit: 'Einheit',
      date: 'Datum',
      quotation: 'Zitat',
      name: 'Name',
      negation: 'Verneinung',
      direction: 'Richtung',
    } satisfies Readonly<Record<FactKind, string>>,
    show: (text: string) => `${text} im Text zeigen`,
  },
  transcript: 'Transkript',
  noTranscript: 'Zu diesem Beitrag gibt es kein Transkript.',
  send: {
    open: 'Zur Freigabe senden',
    title: 'Zur Freigabe senden?',
    text: (name: string, email: string) =>
      `${name} bekommt eine E-Mail an ${email} mit einem Link zu diesen Posts. Ohne Zustimmung wird nichts veröffentlicht.`,
    person: 'Die Person',
    ready: 'Diese Posts gehen hinaus:',
    notReady: 'Diese noch nicht:',
    empty: 'Der Text fehlt.',
    alternative: 'Ein Alternativtext fehlt.',
    unsaved: 'Es gibt Ungespeichertes.',
    foreign: 'Jemand anderes hat eben daran geschrieben.',
    unsupported: 'Nicht im Material, bitte noch einmal ansehen:',
    looking: 'Belege werden geprüft...',
    confirm: (number: number) => (number === 1 ? '1 Post senden' : `${number} Posts senden`),
    done: { title: 'Unterwegs zur Freigabe' },
    nothing: 'Noch ist kein Entwurf bereit.',
  },
  answers: {
    title: 'Antworten',
    none: 'Noch keine Antwort.',
    approve: 'Passt so',
    change: 'Bitte ändern',
    decline: 'Nicht veröffentlichen',
    withdraw: 'Zurückgezogen',
    of: (version: number) => `zu Fassung ${version}`,
  },
  withdrawn: {
    title: 'Bitte aus dem Kanal nehmen',
    text: 'Das Ja wurde zurückgezogen. Ist er dort gelöscht, wähle unter „Weitere Aktionen“ „Aus dem Kanal genommen“.',
  },
  actions: {
    more: 'Weitere Aktionen',
    copy: 'Text kopieren',
    copyApproved: 'Freigegebenen Text kopieren',
    copyFailed: 'Kopieren nicht möglich. Markiere den Text und kopiere ihn selbst.',
    package: 'Paket',
    packageHint: 'Text, Bilder und Alternativtexte als ZIP',
    publish: 'Veröffentlicht',
    address: 'Adresse ändern',
    takeBack: 'Zurückholen',
    reopen: 'Wieder aufnehmen',
    stop: 'Stoppen',
    takeDown: 'Aus dem Kanal genommen',
    remove: 'Entwurf löschen',
    removeTitle: 'Entwurf löschen?',
    removeText: 'Der Post und seine Fassungen sind dann weg.',
    removed: { title: 'Entwurf gelöscht' },
    moved: (state: string) => `Status ist jetzt „${state}“.`,
  },
  uncertain: {
    title: (unknown: number, notAsked: number) => {
      const count = unknown + notAsked;
      const pictures = count === 1 ? '1 Bild' : `${count} Bilder`;
      if (notAsked === 0) return `${pictures} mit „Weiß ich nicht“`;
      return unknown === 0
        ? `${pictures} ohne Angabe, wer zu erkennen ist`
        : `${pictures} mit „Weiß ich nicht“ oder ohne Angabe`;
    },
    text:
      'Kläre vor der Veröffentlichung, ob jemand zu erkennen ist und ob alle einverstanden sind. ' +
      'Du trägst es bei der Datei ein, unter „Material“.',
  },
  versions: {
    title: 'Fassungen',
    of: (version: number) => `Fassung ${version}`,
    current: 'aktuell',
    sent: 'zur Freigabe geschickt',
    model: (model: string) => `von ${model}`,
    compare: 'Was sich geändert hat',
    first: 'Die erste Fassung.',
    restore: 'Diese Fassung übernehmen',
    restored: { title: 'Fassung steht im Feld', description: 'Gespeichert ist sie erst, wenn du speicherst.' },
    loading: 'Lade Fassungen...',
    removed: 'gestrichen',
    added: 'neu',
  },
  conflict: {
    title: 'Jemand anderes hat inzwischen gespeichert',
    text: 'Beide Fassungen stehen hier. Nichts ist verloren.',
    mine: 'Deine Fassung',
    theirs: (version: number) => `Gespeicherte Fassung ${version}`,
    keepMine: 'Mit meiner weiterarbeiten',
    takeTheirs: 'Gespeicherte übernehmen',
  },
} as const;
