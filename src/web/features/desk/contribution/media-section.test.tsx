import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { deskContribution, deskPage } from '#tests/support/web/desk-items.ts';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
import { ContributionScreen } from './index.tsx';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const file = (id: number, path: string, type: string) => ({
  id,
  path: `7/${path}`,
  type,
  size: 2_048,
  createdAt: '2026-11-20T10:00:00Z',
});
const RECORDING = file(1, '1_ton.webm', 'audio/webm');

it('Desk: a picture that comes while a recording is heard leaves its player as it is', async () => {
  let signed = 0;
  const { user } = renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    answers: {
      desk_inbox: () => deskPage(),
      desk_contribution: () => deskContribution({ fileList: [RECORDING] }),
      desk_change: () => deskContribution({ fileList: [RECORDING, file(2, '2_a.png', 'image/png')] }),
      'POST /storage/v1/object/sign/Media': ({ paths }: { paths: readonly string[] }) =>
        (signed += 1) && paths.map((path) => ({ error: null, path, signedURL: `/${path}?n=${signed}` })),
    },
  });
  const player = (await screen.findByRole('group', { name: 'Aufnahme 1 (WEBM)' })).querySelector('audio');
  const address = player?.getAttribute('src');
  await user.type(screen.getByLabelText('Interne Notiz'), 'Gut zu hören');
  await user.click(screen.getByRole('button', { name: 'Notiz speichern' }));
  const picture = await screen.findByRole('button', { name: 'Bild 1 (PNG) groß ansehen' });
  expect(picture.querySelector('img')?.getAttribute('src')).toContain('n=2');
  expect([player?.isConnected, player?.getAttribute('src')]).toEqual([true, address]);
});

it('Desk: a picture that fails once its address has expired gets another one, and a broken one none', async () => {
  let signed = 0;
  const picture = file(2, '2_a.png', 'image/png');
  const { user } = renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    answers: {
      desk_inbox: () => deskPage(),
      desk_contribution: () => deskContribution({ fileList: [picture] }),
      desk_change: () => deskContribution({ fileList: [picture, file(3, '3_b.png', 'image/png')] }),
      'POST /storage/v1/object/sign/Media': ({ paths }: { paths: readonly string[] }) =>
        (signed += 1) && paths.map((path) => ({ error: null, path, signedURL: `/${path}?n=${signed}` })),
    },
  });
  const thumbnail = () => screen.findByRole('button', { name: 'Bild 1 (PNG) groß ansehen' });
  const address = (image: Element | null) => image?.getAttribute('src') ?? '';
  const fail = async () => fireEvent.error((await thumbnail()).querySelector('img') ?? expect.fail());
  await fail();
  await screen.findByText('Dieses Bild lässt sich nicht anzeigen.');
  expect(signed).toBe(1);
  const opened = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(opened + 7 * 3_600_000);
  await user.type(screen.getByLabelText('Interne Notiz'), 'Mit Bild');
  await user.click(screen.getByRole('button', { name: 'Notiz speichern' }));
  await screen.findByRole('button', { name: 'Bild 2 (PNG) groß ansehen' });
  expect(address((await thumbnail()).querySelector('img')), 'with a further file').toContain('n=2');
  // Addresses expire by the clock of the server.
  clock.mockReturnValue(opened);
  await fail();
  await waitFor(async () => expect(address((await thumbnail()).querySelector('img'))).toContain('n=3'));
  clock.mockReturnValue(opened + 7 * 3_600_000);
  await user.click(await thumbnail());
  const large = () => within(screen.getByRole('dialog')).getByRole('img');
  fireEvent.error(large());
  await waitFor(() => expect(address(large())).toContain('n=4'));
});

it('Desk: a film that the browser cannot play is downloaded without place and device, as below (0285)', async () => {
  const asked: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  const { user } = renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    answers: {
      desk_inbox: () => deskPage(),
      desk_contribution: () => deskContribution({ fileList: [file(5, '5_film.mov', 'video/quicktime')] }),
      'POST /storage/v1/object/sign/Media': ({ paths }: { paths: readonly string[] }) =>
        paths.map((path) => ({ error: null, path, signedURL: `/${path}?t=t` })),
      'POST /v1/desk/tickets': ({ path }: { path: string }) => ({ url: asked[asked.push(path) - 1] }),
    },
  });
  const player = await screen.findByRole('group', { name: 'Video 1 (MOV)' });
  fireEvent.error(player.querySelector('video') ?? expect.fail());
  await user.click(await within(player).findByText('Herunterladen'));
  await waitFor(() => expect(asked).toEqual(['/v1/desk/contributions/7/files/5/clean']));
});

it.each([
  ["as Word saves 'Nur Text' on Windows", Buffer.from('Prüfstand für Öl, \u0084Spaß\u0093', 'latin1')],
  ['as Excel and PowerShell save it', Buffer.from('\uFEFFPrüfstand für Öl', 'utf16le')],
  ['the same, the high byte first', Buffer.from('\uFEFFPrüfstand für Öl', 'utf16le').swap16()],
  ['cut within a character', Buffer.from('Prüfstand für Ölä').subarray(0, -1)],
  [
    'with a damaged byte',
    Buffer.concat([Buffer.from('Prüfstand für Öl'), Buffer.from('ä', 'latin1'), Buffer.from(' ')]),
  ],
])('Desk: the preview of a text shows its umlauts, whichever program wrote it: %s', async (_how, bytes) => {
  const path = '7/4_notiz.txt';
  const { user } = renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    answers: {
      desk_inbox: () => deskPage(),
      desk_contribution: () => deskContribution({ fileList: [file(4, '4_notiz.txt', 'text/plain')] }),
      'POST /storage/v1/object/sign/Media': () => [{ error: null, path, signedURL: `/object/sign/Media/${path}?t=t` }],
      [`GET /storage/v1/object/sign/Media/${path}`]: () => new Response(bytes),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Vorschau von Textdatei 1 (TXT)' }));
  expect((await screen.findByText(/stand/)).textContent).toMatch(/^Prüfstand für Öl(, „Spaß“|\uFFFD )?$/);
});
