import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readEnv } from './env.ts';
import { formatLogLine, formatStartBlock, openStartScreen } from './terminal.ts';

function openOutput(isTTY: boolean) {
  const written: string[] = [];
  return { output: { isTTY, write: (text: string) => written.push(text) }, text: () => written.join('') };
}

test('A terminal shows each step and no JSON; warnings of the start come after the block', () => {
  const { output, text } = openOutput(true);
  const screen = openStartScreen(output, 'auto');
  const log = pino({}, screen.log ?? process.stdout);
  screen.step('Datenbank wird gestartet');
  log.info('Server listening at http://127.0.0.1:1');
  log.warn({ mail: 'm1' }, 'mail: deferred');
  screen.step('Dienste werden gestartet');
  screen.finish('\n  Adresse\n');
  log.info({ part: 'speech' }, 'model loaded');
  expect(text()).toMatch(
    /Datenbank wird gestartet \.\.\. fertig\n[^\n]*Dienste werden gestartet \.\.\. fertig\n\n {2}Adresse\n/,
  );
  expect(text()).not.toContain('{');
  expect(text()).not.toContain('listening');
  expect(text()).toMatch(
    /Adresse\n\d\d:\d\d:\d\d WARN {2}mail: deferred {2}mail=m1\n\d\d:\d\d:\d\d INFO {2}model loaded {2}part=speech\n$/,
  );
});

test('Elsewhere the log stays JSON on standard output, and no step is shown', () => {
  const { output, text } = openOutput(false);
  const screen = openStartScreen(output, 'auto');
  expect(screen.log).toBeUndefined();
  screen.step('Datenbank wird gestartet');
  screen.finish('Adresse\n');
  expect(text()).toBe('Adresse\n');
});

test('LOG_FORMAT decides, whatever standard output is', () => {
  expect(openStartScreen(openOutput(true).output, 'json').log).toBeUndefined();
  const { output, text } = openOutput(false);
  openStartScreen(output, 'text').log?.write('{"level":50,"msg":"stop failed"}\n');
  expect(text()).toMatch(/^\d\d:\d\d:\d\d ERROR stop failed\n$/);
});

test('The step that failed stays without its end', () => {
  const { output, text } = openOutput(true);
  const screen = openStartScreen(output, 'auto');
  screen.step('Datenbank wird gestartet');
  screen.fail();
  expect(text()).toMatch(/Datenbank wird gestartet \.\.\.\n$/);
});

test('A line that is no JSON stays readable', () => {
  expect(formatLogLine('Warnung\n')).toMatch(/Warnung\n$/);
});

const FACTS = {
  url: 'http://127.0.0.1:3000',
  accounts: '  Erste Konten:\n    admin@beispiel.test       admin',
  transcription: 'Transkription: keine',
};
const format = (env: Record<string, string>): string => formatStartBlock({ ...FACTS, env: readEnv(env) });

test('The start ends with accounts, what is not configured with its variable, and the addresses', () => {
  const lines = format({}).split('\n');
  const place = (words: string): number => lines.findIndex((line) => line.includes(words));
  const order = [
    'Erste Konten:',
    'Nicht eingerichtet:',
    'Mailversand (SMTP_URL)',
    'Impressum (BRAND_IMPRINT_URL)',
    'Datenschutz (BRAND_PRIVACY_URL)',
    'Einrichtung: http://127.0.0.1:3000',
  ];
  expect(order.map(place)).toEqual(order.map(place).toSorted((a, b) => a - b));
  expect(order.map(place)).not.toContain(-1);
});

test('What is configured is not named as missing, and the public address is the one shown', () => {
  const given = { SMTP_URL: 'smtp://mail.example.de', BRAND_IMPRINT_URL: 'https://example.de/impressum' };
  const block = format({ PUBLIC_URL: 'https://beitrag.example.de', ...given });
  expect(block).not.toMatch(/SMTP_URL|IMPRINT/);
  expect(block).toContain('Einrichtung: https://beitrag.example.de/admin/einrichtung');
});
