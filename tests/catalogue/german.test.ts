import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Texts that a user reads stand in `texts.ts` files, one in each feature; together they are the catalogue. */
const FILES = globSync('src/web/**/*.{ts,tsx}').filter((file) => !/texts\.ts$|\.test\.tsx?$|\/testing\//.test(file));

/** No texts: paths, the fallback of §3, names of files on their way to the server. */
const ALLOWED = /^\/(?:passwort-vergessen|passwort-neu|admin\/benutzer)$|^benutzer$|^aufnahme\.\$\{/;

const GERMAN =
  /[äöüÄÖÜß]|\b(?:bitte|nicht|kein|keine|und|oder|der|die|das|dein|deine|ihre|wird|werden|wurde|ist|sind|eine?|fehler|laden|lade|aufnahme|bilder|datei|dateien|weiter|abmelden|anmelden|schritt|abschluss|transkript|meldung|speichern|benutzer|passwort|starten|beenden|wiederholen|erneut|versuchen|verbinde|hochladen)\b/i;

describe('D20 no user-visible German text outside texts.ts', () => {
  it('finds what it looks for', () => {
    const planted = 'const a = \'Bitte warten\'; return <p className="x">Aufnahme läuft</p>; // der Rest';
    expect(germanIn(planted)).toEqual(['Bitte warten', 'Aufnahme läuft']);
    expect(FILES.length).toBeGreaterThan(100);
  });

  it.each(FILES)('%s', (file) => {
    expect(germanIn(readFileSync(file, 'utf8'))).toEqual([]);
  });
});

function germanIn(source: string): string[] {
  const code = source
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/(^|[\s;{])\/\/.*$/gm, '$1')
    .replaceAll(/^import .*|from '.*';?$|import\('[^']*'\)/gm, '');
  const literals = [...code.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g)].map((match) => match[2] ?? '');
  const jsx = [...code.matchAll(/>([^<>{}=;()]+)</g)].map((match) => (match[1] ?? '').trim());
  return [...literals, ...jsx].filter((text) => GERMAN.test(text) && !ALLOWED.test(text));
}
