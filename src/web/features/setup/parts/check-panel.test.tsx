import { useState, type ReactNode } from 'react';
import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { PartCheck } from '#contract/setup-parts.ts';
import { renderDesk, unreachable } from '#tests/support/web/render-desk.tsx';
import { CheckPanel } from './check-panel.tsx';

const EARLIER: PartCheck = { at: '2026-11-27T08:00:00Z', seconds: 1, code: 'failed', reason: null, findings: {} };
const LATER: PartCheck = { ...EARLIER, at: '2026-11-27T09:00:00Z', code: null };

test('Shows the result of a check that another administrator had begun', async () => {
  let know: (now: { isChecking: boolean; check: PartCheck }) => void = () => undefined;
  function Panel(): ReactNode {
    const [now, setNow] = useState({ isChecking: false, check: EARLIER });
    know = setNow;
    return <CheckPanel part="storage" {...now} />;
  }
  const running = () => Response.json({ error: { code: 'check_running', message: '' } }, { status: 409 });
  const { user } = renderDesk(() => <Panel />, { answers: { 'POST /v1/setup/parts/storage/check': running } });
  await user.click(await screen.findByRole('button', { name: 'Dateispeicher prüfen' }));
  expect(await screen.findByText('Eine Probe läuft schon. Versuche es gleich noch einmal.')).toBeTruthy();
  act(() => know({ isChecking: true, check: EARLIER }));
  act(() => know({ isChecking: false, check: LATER }));
  expect(screen.getByText('Eine Datei wurde geschrieben, gelesen und wieder gelöscht.')).toBeTruthy();
  expect(screen.queryByText(/Eine Probe läuft schon/)).toBeNull();
});

test('Says that the server is away where a part is tried', async () => {
  const { user } = renderDesk(() => <CheckPanel part="storage" isChecking={false} check={LATER} />, {
    answers: { 'POST /v1/setup/parts/storage/check': unreachable },
  });
  await user.click(await screen.findByRole('button', { name: 'Dateispeicher prüfen' }));
  expect(await screen.findByText('Der Server ist gerade nicht erreichbar.')).toBeTruthy();
});
