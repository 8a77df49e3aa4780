import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { DeskContribution } from '#contract/desk.ts';
import { deskContribution } from '#tests/support/web/desk-items.ts';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
import { FilesCard } from './files-card.tsx';
import { describeFiles } from './stored-files.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const createdAt = '2026-11-20T10:00:00Z';
const FILES: DeskContribution['fileList'] = [1, 2, 3].map((id) => ({
  id,
  path: `7/${id}_a.pdf`,
  type: 'application/pdf',
  size: 9,
  createdAt,
}));

it('Desk: downloads that are asked for one after the other all come, and one that fails says so', async () => {
  const clicked: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    clicked.push(this.getAttribute('href') ?? '');
  });
  const asked: string[] = [];
  const held = Promise.withResolvers<void>();
  const { user } = renderDesk(
    () => <FilesCard id={deskContribution().id} files={describeFiles(FILES)} onChanged={() => undefined} />,
    {
      answers: {
        'POST /v1/desk/tickets': async ({ path }: { path: string }) => {
          asked.push(path);
          await held.promise;
          const failure = { error: { code: 'file_missing', message: '' } };
          return path.endsWith('/1') ? Response.json(failure, { status: 410 }) : { url: path };
        },
      },
    },
  );
  for (const number of [1, 2, 2, 3])
    await user.click(screen.getByRole('button', { name: `Dokument ${number} (PDF) herunterladen` }));
  expect(asked).toHaveLength(1);
  held.resolve();
  await waitFor(() => expect(clicked.map((path) => path.at(-1))).toEqual(['2', '3']));
  expect(screen.getByText(/^Diese Datei fehlt im Speicher\./)).toBeTruthy();
});
