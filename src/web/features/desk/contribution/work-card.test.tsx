import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { STUB_USER } from '#tests/support/web/stub-server.ts';
import { deskContribution, deskPage } from '#tests/support/web/desk-items.ts';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
import { ContributionScreen } from './contribution-screen.tsx';

it('Desk: offers no colleague who is locked, but still names one who has the contribution (D14)', async () => {
  renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    answers: {
      desk_contribution: () => deskContribution({ assignee: 'kim', assigneeEmail: 'kim@haus.example' }),
      desk_inbox: () => deskPage([]),
      desk_colleagues: () => [
        { id: STUB_USER.id, email: STUB_USER.email },
        { id: 'kim', email: 'kim@haus.example', locked: true },
        { id: 'lou', email: 'lou@haus.example', locked: true },
      ],
    },
  });
  const select = await screen.findByLabelText<HTMLSelectElement>('In Bearbeitung bei');
  const offered = () => [...select.options].map(({ textContent }) => textContent);
  await waitFor(() => expect(offered()).toEqual(['Niemand', STUB_USER.email, 'kim@haus.example (nicht verfügbar)']));
  expect(select.value).toBe('kim');
});
