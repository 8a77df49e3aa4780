import { expect, test } from 'vitest';
import { readEnv } from './env.ts';
import { formatStartBlock } from './start-block.ts';

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
    'Einrichtung: http://127.0.0.1:3000',
  ];
  expect(order.map(place)).toEqual(order.map(place).toSorted((a, b) => a - b));
  expect(order.map(place)).not.toContain(-1);
});

test('What is configured is not named as missing, and the public address is the one shown', () => {
  const block = format({ PUBLIC_URL: 'https://beitrag.example.de', SMTP_URL: 'smtp://mail.example.de' });
  expect(block).not.toContain('SMTP_URL');
  expect(block).toContain('Einrichtung: https://beitrag.example.de/admin/einrichtung');
});
