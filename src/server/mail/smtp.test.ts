import { expect, test } from 'vitest';
import { smtpServer } from './smtp.ts';

test('reads host, port and login; smtps is encrypted from the start', () => {
  expect(smtpServer('smtps://post%40haus:ge%3Aheim@mail.beispiel.test')).toEqual({
    host: 'mail.beispiel.test',
    port: 465,
    secure: true,
    requireTLS: false,
    auth: { user: 'post@haus', pass: 'ge:heim' },
  });
});

test('port 465 is encrypted from the start, whichever of the two schemes names it', () => {
  const encrypted = { port: 465, secure: true, requireTLS: false };
  expect(smtpServer('smtp://mail.beispiel.test:465')).toMatchObject(encrypted);
  expect(smtpServer('smtps://mail.beispiel.test:465')).toMatchObject(encrypted);
});

test('a percent sign that encodes nothing is itself, as in DATABASE_URL', () => {
  expect(smtpServer('smtps://post:100%@mail.beispiel.test').auth).toEqual({ user: 'post', pass: '100%' });
});

test('speaks in the clear only with this machine, or where the operator says so', () => {
  expect(smtpServer('smtp://mail.beispiel.test')).toMatchObject({ port: 587, secure: false, requireTLS: true });
  expect(smtpServer('smtp://127.0.0.1:25')).toMatchObject({
    host: '127.0.0.1',
    port: 25,
    requireTLS: false,
    auth: undefined,
  });
  expect(smtpServer('smtp://[::1]:25')).toMatchObject({ host: '::1', requireTLS: false });
  expect(smtpServer('smtp://relay.haus:25?requireTLS=false').requireTLS).toBe(false);
  expect(smtpServer('smtp://localhost?requireTLS=true').requireTLS).toBe(true);
});
