/**
 * §5 and §8 message by message, written from the specification and in its order. `shownBy` names the test that makes it
 * appear on a screen.
 */
export type Message = Readonly<{ section: string; text: string }> & Shown;
/** `title`: as it stands in the file, without what a table fills in. */
type Shown = Readonly<{ shownBy: Readonly<{ file: string; title: string }> }>;

const E2E = 'tests/e2e';
const FEATURES = 'src/web/features';
const LOGIN = `${E2E}/login.spec.ts`;
const FAULTS = `${E2E}/flow-faults.spec.ts`;
const RECORDING = `${E2E}/flow-recording.spec.ts`;
const ADMIN = `${FEATURES}/admin/admin-screen.test.tsx`;
const SESSION = 'src/web/app/session.test.tsx';
const ROUTES = `${E2E}/routes.spec.ts`;
const SIGN_IN = 'src/web/app/application.test.tsx';
const VOICE = `${FEATURES}/voice-message/voice-message-screen.test.tsx`;
const TRANSCRIPT = `${FEATURES}/transcript/transcript-edit-screen.test.tsx`;
const DELIVERY = `${FEATURES}/voice-message/voice-message-delivery.test.tsx`;
const FLOWS = 'src/web/app/flows.test.tsx';
const IMAGE = `${FEATURES}/image-upload/image-upload-after-voice-screen.test.tsx`;
const IMAGES = `${FEATURES}/image-upload/image-selection-and-test-area.test.tsx`;
const MEDIA = `${FEATURES}/media-upload/media-upload-screen.test.tsx`;
const DOCUMENT = `${FEATURES}/document-upload/document-upload-screen.test.tsx`;
const CONTRIBUTOR = `${FEATURES}/contributor-upload/contributor-upload-screen.test.tsx`;
const UPLOADS = `${E2E}/uploads.spec.ts`;
const UPLOAD_INPUT = `${E2E}/upload-input.spec.ts`;
const OWN = `${FEATURES}/own-contributions/own-contributions-screen.test.tsx`;
const CONTACT = `${FEATURES}/thank-you/contact-form.test.tsx`;

export const MESSAGES: readonly Message[] = [
  ...shown('§2.1', SESSION, [
    ['is told why /admin is closed', 'Zugriff verweigert', 'Sie haben keine Berechtigung für diesen Bereich.'],
  ]),
  ...shown('§2.1', ROUTES, [
    ['a closed one says why', 'Sie müssen angemeldet sein, um auf diesen Bereich zuzugreifen.'],
  ]),

  ...shown('§5 contact form', CONTACT, [
    [
      'Names every missing field',
      'Vorname ist erforderlich',
      'Nachname ist erforderlich',
      'Gültige E-Mail-Adresse erforderlich',
    ],
  ]),
  ...shown('§5 contributor upload', CONTRIBUTOR, [
    ['no files', 'Keine Dateien ausgewählt', 'Bitte wähle mindestens eine Datei zum Hochladen aus.'],
    [
      'unsupported, with what to do about HEIC',
      'Ungültiger Dateityp',
      'Einige Dateien wurden nicht hinzugefügt, da sie nicht unterstützt werden.',
    ],
    ['Says that eleven files are too many', 'Zu viele Dateien', 'Du kannst maximal 10 Dateien hochladen.'],
  ]),
  ...shown('§5 image-after-voice', IMAGES, [
    [
      'drops %s (%s)',
      'Ungültiger Dateityp',
      'Einige Dateien wurden nicht hinzugefügt, da sie nicht unterstützt werden.',
    ],
    ['takes ten photos, not eleven', 'Zu viele Dateien', 'Du kannst maximal 10 Dateien hochladen.'],
  ]),
  ...shown('§5 image-after-voice', IMAGE, [['Has nothing to upload without a file', 'Keine Dateien zum Hochladen']]),
  ...shown('§5 video, image and document upload', MEDIA, [
    [
      '%# incomplete',
      'Unvollständige Beschreibung',
      'Bitte beantworte alle W-Fragen.',
      'Bitte beantworte alle W-Fragen mit mindestens 2 Zeichen.',
    ],
  ]),
  ...shown('§5 video, image and document upload', DOCUMENT, [
    ['refuses %s (%s)', 'Ungültiger Dateityp', 'Bitte lade ein PDF, DOC, DOCX oder TXT Dokument hoch.'],
    ['no file', 'Keine Datei ausgewählt', 'Bitte wähle eine Datei zum Hochladen aus.'],
  ]),
  ...shown('§5 image-after-voice', IMAGE, [
    [
      'Warns on entry where there is no id, and on submit',
      'Keine Interview-ID gefunden. Bitte starte den Prozess erneut.',
    ],
  ]),
  ...shown('§5 voice message', DELIVERY, [
    [
      'Asks for a recording first where there is none',
      'Keine Aufnahme vorhanden',
      'Bitte nehmen Sie zuerst eine Sprachnachricht auf.',
    ],
  ]),

  ...shown('§8 authentication', SIGN_IN, [
    [
      'Says what went wrong: ',
      'Anmeldefehler',
      'Unerwarteter Fehler',
      'Ein unerwarteter Fehler ist aufgetreten. Bitte versuchen Sie es erneut.',
      'Ein Fehler ist aufgetreten. Bitte versuchen Sie es erneut.',
    ],
  ]),
  ...shown('§8 authentication', LOGIN, [
    [
      'say what was wrong and what went well',
      'Anmeldung fehlgeschlagen',
      'Ungültige E-Mail oder Passwort.',
      'Erfolgreich angemeldet',
      'Abgemeldet',
      'Sie wurden erfolgreich abgemeldet.',
    ],
  ]),

  ...shown('§8 interview and id', FAULTS, [
    [
      'Local mode: the backend is unreachable from the start',
      'Hinweis',
      'Es wird eine lokale Interview-ID verwendet, da keine Verbindung zur Datenbank hergestellt werden konnte.',
    ],
  ]),
  ...shown('§8 interview and id', DELIVERY, [
    ['Says so where no id can be made', 'Es gab ein Problem beim Laden oder Erstellen der Interview-ID.'],
  ]),
  ...shown('§8 interview and id', FLOWS, [
    ['Refuses ', 'Keine Interview-ID gefunden. Uploads werden möglicherweise nicht korrekt gespeichert.'],
    ['Refuses ', 'Keine Interview-ID gefunden', 'Bitte starten Sie den Prozess von vorne.'],
  ]),
  ...shown('§8 interview and id', IMAGES, [
    ['Says so where the id vanished meanwhile', 'Keine Interview-ID gefunden. Bitte starten Sie den Prozess erneut.'],
  ]),

  ...shown('§8 transcript', DELIVERY, [
    [
      '%s: says so, keeps everything and goes on',
      'Das Transkript konnte nicht gespeichert werden.',
      'Bei der Datenbankoperation ist ein Fehler aufgetreten.',
    ],
    ['saves transcript and completed_at', 'Erfolg', 'Das Transkript wurde erfolgreich gespeichert.'],
  ]),
  ...shown('§8 transcript', FAULTS, [
    ['Local mode: the backend is unreachable from the start', 'Transkript gespeichert'],
  ]),
  ...shown('§8 transcript', FLOWS, [
    ['Refuses ', 'Keine Transkription vorhanden', 'Bitte nehmen Sie erst eine Sprachnachricht auf.'],
  ]),
  ...shown('§8 transcript', TRANSCRIPT, [
    [
      'Shows a Speicherwarnung where %s fails and goes on',
      'Speicherwarnung',
      'Das Transkript konnte nicht vollständig gespeichert werden.',
    ],
    ['Warns of a missing Content-ID and lets the user go on', 'Keine Content-ID'],
    [
      'disables the button when the transcript is empty, and says on Ctrl+Enter that there is nothing',
      'Es gibt nichts zu speichern.',
    ],
    ['Stays with "Fehler beim Absenden" after something unforeseen', 'Fehler beim Absenden'],
  ]),
  ...shown('§8 transcript', `${FEATURES}/interview/interview-screen.test.tsx`, [
    [
      'Panel: copied, edited and saved with its toasts',
      'In die Zwischenablage kopiert',
      'Transkript wurde in die Zwischenablage kopiert.',
      'Änderungen gespeichert',
      'Transkript wurde erfolgreich aktualisiert.',
    ],
    ['Saves what was added to a saved interview', 'Transkript aktualisiert'],
  ]),
  ...shown('§4 voice interview', `${FEATURES}/interview/interview-screen.test.tsx`, [
    ['Saves what was added to a saved interview', 'Verbindungsfehler. Bitte versuchen Sie es erneut.'],
    [
      'Uses a local id and says so',
      'Es wird eine lokale Interview-ID verwendet, da keine Verbindung zur Datenbank hergestellt werden konnte.',
    ],
    ['Reports a problem with the id', 'Es gab ein Problem beim Laden oder Erstellen der Interview-ID.'],
  ]),

  ...shown('§8 recording and transcription', RECORDING, [
    [
      'Says what goes wrong with the microphone',
      'Mikrofon-Zugriff wurde verweigert',
      'Es wurde kein Mikrofon gefunden. Bitte schließen Sie ein Mikrofon an und versuchen Sie es erneut.',
      'Auf das Mikrofon kann nicht zugegriffen werden. Bitte prüfen Sie, ob ein anderes Programm es gerade verwendet.',
      'Ihr Browser unterstützt keine Audioaufnahme. Bitte verwenden Sie einen aktuellen Browser wie Chrome, Firefox oder Edge.',
      'Die Aufnahme konnte nicht gestartet werden. Bitte versuchen Sie es erneut.',
      'Die Aufnahme konnte nicht verarbeitet werden. Bitte nehmen Sie sie erneut auf.',
      'Bei der Aufnahme ist ein Fehler aufgetreten. Bitte versuchen Sie es erneut.',
      'Die Aufnahme konnte nicht beendet werden. Bitte versuchen Sie es erneut.',
    ],
    [
      'that is not understood',
      'Fehler bei der Transkription',
      'Transkriptionsfehler',
      'Für den Transkriptionsdienst ist kein gültiger Schlüssel hinterlegt.',
      'Transkription ist fehlgeschlagen',
    ],
    ['Says when it has started', 'Aufnahme gestartet'],
    ['that is corrupt', 'Aufnahme beendet'],
  ]),
  ...shown('§8 recording and transcription', VOICE, [
    ['Says so while the microphone gives silence', 'Dein Mikrofon ist gerade stumm'],
    ['Notice for', 'Problem mit der Audioinitialiserung.', 'Audioinitialisierung läuft noch...'],
  ]),
  ...shown('§8 recording and transcription', DELIVERY, [
    [
      'Has its own text in the test area',
      'Transkription fehlgeschlagen',
      'Die Sprachnachricht konnte nicht verarbeitet werden.',
    ],
    ['Asks for a recording first where there is none', 'Keine Aufnahme'],
    [
      'Says that processing failed after something unforeseen',
      'Upload fehlgeschlagen',
      'Es gab ein Problem beim Verarbeiten Ihrer Sprachnachricht.',
    ],
  ]),

  ...shown('§8 uploads', IMAGES, [
    [
      'Says that the upload failed after something unforeseen',
      'Es gab ein Problem beim Hochladen der Dateien. Bitte versuche es erneut.',
    ],
  ]),
  ...shown('§8 uploads', IMAGES, [
    [
      'Says that the upload failed where no file arrived',
      'Es konnten keine Dateien hochgeladen werden. Bitte versuchen Sie es erneut oder überspringen Sie diesen Schritt.',
    ],
    ['N von M', 'von 2 Datei(en) wurden erfolgreich hochgeladen.'],
  ]),
  ...shown('§8 uploads', IMAGE, [
    [
      'Says after three attempts that the images could not be uploaded',
      'Die Bilder konnten nicht hochgeladen werden. Bitte versuche es erneut.',
      'Upload erfolgreich',
      'Bilder erfolgreich hochgeladen',
    ],
  ]),
  ...shown('§8 uploads', UPLOAD_INPUT, [
    ['somebody else’s id gets nothing', 'Content-ID nicht gefunden. Bitte starten Sie den Prozess neu.'],
    ['the bucket is missing', 'Storage-Fehler'],
  ]),
  ...shown('§8 uploads', UPLOADS, [['a key that ends keeps the files', 'Storage-Hinweis']]),
  ...shown('§8 uploads', MEDIA, [
    ['Stays where the descriptions could not be saved', 'Die Bildbeschreibungen konnten nicht gespeichert werden.'],
    ['says that the descriptions were saved', 'Bildbeschreibungen wurden gespeichert.'],
  ]),

  ...shown('§8 contact form', CONTACT, [
    [
      'Says so where the id vanished meanwhile',
      'Keine Content-ID gefunden. Bitte starten Sie den Prozess erneut.',
      'Content-ID fehlt. Kontaktdaten können nicht gespeichert werden...',
    ],
    ['Says that saving failed after something unforeseen', 'Es ist ein unerwarteter Fehler aufgetreten.'],
  ]),
  ...shown('§8 contact form', CONTACT, [
    [
      'keeps what was typed and can be repeated',
      'Die Kontaktdaten konnten nicht gespeichert werden. Bitte versuchen Sie es später erneut.',
    ],
    [
      'saves, clears the stored ids and goes home',
      'Erfolgreich',
      'Ihre Kontaktdaten wurden gespeichert. Wir werden Sie kontaktieren.',
    ],
  ]),
  ...shown('§8 contact form', FAULTS, [
    ['Local mode: the backend is unreachable from the start', 'lokal gespeichert (Testmodus)'],
  ]),

  ...shown('§8 discarding', OWN, [
    [
      'A begun contribution is discarded after a question',
      'Beitrag verworfen',
      'Das hat nicht geklappt. Versuch es bitte noch einmal.',
    ],
    ['What was handed in meanwhile is not discarded', 'Der Beitrag ist inzwischen abgesendet. Wenn du ihn'],
  ]),

  ...shown('§8 other', ADMIN, [["An error without words is 'Unbekannter Fehler'", 'Unbekannter Fehler']]),
  ...shown('§8 other', 'tests/support/route-table.ts', [['NOT_FOUND', 'Oops! Page not found']]),
  ...shown('§8 other', 'src/web/app/every-screen.test.tsx', [['The not-found page leads home', 'Return to Home']]),
];

/** Rows of one file: the test, then the texts that it makes appear. */
function shown(section: string, file: string, rows: readonly (readonly [string, ...string[]])[]): Message[] {
  return rows.flatMap(([title, ...texts]) => texts.map((text) => ({ section, text, shownBy: { file, title } })));
}
