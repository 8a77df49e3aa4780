import { createClient } from '@supabase/supabase-js';
import { notifyManager, QueryClientProvider } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { OwnContribution } from '#contract/own-contributions.ts';
import { BackendProvider } from '#web/backend/client.ts';
import { createQueryClient } from '#web/backend/server-state.tsx';
import { STUB_CONFIG, stubServer } from '#tests/support/web/stub-server.ts';
import { freezeTime, pass, resumeTime, waitForState } from '#tests/support/web/render-flow.tsx';
import { ContributionRow } from './contribution-row.tsx';

// The stopped clock would hold notifications back.
notifyManager.setScheduler(queueMicrotask);
afterEach(() => {
  resumeTime();
  vi.unstubAllGlobals();
});

const ROW: OwnContribution = {
  id: 7,
  createdAt: '2026-11-20T09:30:00Z',
  kind: 'document',
  topic: null,
  area: 'generic',
  files: 1,
  transcript: false,
  state: 'received',
  links: [],
};
const SIGN = 'POST /storage/v1/object/sign/Media';

/** Opens the section of each row; `sign` answers with the addresses. */
function openMaterial(sign: () => Response | Promise<Response>, rows: readonly OwnContribution[] = [ROW]): void {
  freezeTime();
  stubServer({
    'GET /rest/v1/media_uploads': () => Response.json([{ file_path: '7/a.pdf', file_type: 'application/pdf' }]),
    'GET /rest/v1/interviews': () => Response.json({ transcript: 'Die Pumpe läuft.' }),
    [SIGN]: sign,
  });
  const supabase = createClient(STUB_CONFIG.supabaseUrl, STUB_CONFIG.supabaseKey, { auth: { persistSession: false } });
  render(
    <BackendProvider value={{ config: STUB_CONFIG, supabase }}>
      <QueryClientProvider client={createQueryClient()}>
        <ul>
          {rows.map((row) => (
            <ContributionRow key={row.id} row={row} />
          ))}
        </ul>
      </QueryClientProvider>
    </BackendProvider>,
  );
  for (const button of screen.getAllByRole('button', { name: /^Dateien und Transkript: / })) fireEvent.click(button);
}

const answer = (signed: number): Response =>
  Response.json([{ path: '7/a.pdf', error: null, signedURL: `/object/sign/Media/7/a.pdf?n=${signed}` }]);
const getAddress = () => screen.getByRole('link').getAttribute('href');

it('The addresses of files are renewed before they end, in a list that stays open (D11)', async () => {
  let signed = 0;
  openMaterial(() => answer((signed += 1)));
  await waitForState(() => expect(getAddress()).toContain('?n=1'));
  await pass(3_600_000 - 1_000);
  await waitForState(() => expect(getAddress()).not.toContain('?n=1'));
});

it('Addresses that could not be renewed stay, and are asked for again before they end (D11)', async () => {
  let signed = 0;
  openMaterial(() => ((signed += 1) === 2 ? Response.json({}, { status: 500 }) : answer(signed)));
  await waitForState(() => expect(getAddress()).toContain('?n=1'));
  await pass(1_800_000);
  await waitForState(() => expect(signed).toBe(2));
  expect(getAddress()).toContain('?n=1');
  await pass(300_000);
  await waitForState(() => expect(getAddress()).toContain('?n=3'));
});

it('Without addresses the rest is shown, also while they are asked for again (D11)', async () => {
  let signed = 0;
  let reply = (_answer: Response): void => undefined;
  openMaterial(() => {
    signed += 1;
    return signed === 1 ? Response.json({}, { status: 500 }) : new Promise<Response>((resolve) => (reply = resolve));
  });
  await waitForState(() => screen.getByText('Die Pumpe läuft.'));
  const transcript = screen.getByText('Die Pumpe läuft.');
  screen.getByText('a.pdf');
  expect(screen.queryByRole('link')).toBeNull();
  await pass(60_000);
  await waitForState(() => expect(signed).toBe(2));
  expect(transcript.isConnected).toBe(true);
  reply(answer(2));
  await waitForState(() => expect(getAddress()).toContain('?n=2'));
  expect(transcript.isConnected).toBe(true);
});

it('Open transcripts have different names, by which a screen reader lists them (§9, WCAG 2.4.6)', async () => {
  openMaterial(() => answer(1), [ROW, { ...ROW, id: 8 }]);
  await waitForState(() => expect(screen.getAllByText('Die Pumpe läuft.')).toHaveLength(2));
  const names = screen.getAllByRole('region').map((region) => region.getAttribute('aria-label'));
  expect(names).toEqual(['Transkript, Content-ID 7', 'Transkript, Content-ID 8']);
});
