import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { STUB_USER } from '#tests/support/web/stub-server.ts';
import { deskContribution, deskPage } from '#tests/support/web/desk-items.ts';
import { renderDesk, unreachable } from '#tests/support/web/render-desk.tsx';
import { Anchor } from '#web/ui/link.tsx';
import { ContributionScreen } from './index.tsx';

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

it('Desk: offers whoever became an administrator since the page was opened, once it is seen again (D14)', async () => {
  const colleagues = [{ id: 'kim', email: 'kim@haus.example' }];
  renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    answers: {
      desk_inbox: () => deskPage(),
      desk_contribution: () => deskContribution(),
      desk_colleagues: () => colleagues,
    },
  });
  const select = await screen.findByLabelText<HTMLSelectElement>('In Bearbeitung bei');
  await within(select).findByText('kim@haus.example');
  colleagues.push({ id: 'mo', email: 'mo@haus.example' });
  window.dispatchEvent(new Event('visibilitychange'));
  await within(select).findByText('mo@haus.example');
});

it('Desk: takes a contribution over for oneself while its change of state is on its way', async () => {
  const held = Promise.withResolvers<unknown>();
  const { user, requests } = renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    answers: {
      desk_contribution: () => deskContribution(),
      desk_inbox: () => deskPage([]),
      desk_change: ({ version }: { version: number }) =>
        version === 1 ? held.promise : deskContribution({ state: 'in_progress', assignee: STUB_USER.id, version: 3 }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'In Arbeit nehmen' }));
  await user.click(screen.getByRole('button', { name: 'Mir zuweisen' }));
  held.resolve(deskContribution({ state: 'in_progress', version: 2 }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Mir zuweisen' })).toBeNull());
  expect(requests.flatMap(({ name, args }) => (name === 'desk_change' ? [args] : []))).toEqual([
    { id: 7, version: 1, change: { state: 'in_progress' } },
    { id: 7, version: 2, change: { assignee: STUB_USER.id } },
  ]);
});

it('Desk: says that a change failed whose contribution has been left meanwhile', async () => {
  const held = Promise.withResolvers<unknown>();
  const { user } = renderDesk(
    (search) =>
      search === '' ? (
        <>
          <ContributionScreen id={7} address={search} />
          <Anchor href="/?suche=x">Weiter</Anchor>
        </>
      ) : (
        <p>Woanders</p>
      ),
    {
      answers: {
        desk_contribution: () => deskContribution(),
        desk_inbox: () => deskPage([]),
        desk_change: () => held.promise.then(unreachable),
      },
    },
  );
  await user.click(await screen.findByRole('button', { name: 'In Arbeit nehmen' }));
  await user.click(screen.getByRole('link', { name: 'Weiter' }));
  await screen.findByText('Woanders');
  held.resolve(undefined);
  expect(await screen.findByText(/nicht erreichbar/, { selector: '[data-variant] *' })).toBeTruthy();
});
