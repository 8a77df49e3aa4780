import type { ReactNode } from 'react';
import { ConnectedScreen } from '#web/backend/server-state.tsx';
import { BoardScreen, ContributionScreen, InboxScreen, PeopleScreen } from '#web/features/desk/index.tsx';
import { NotFoundScreen } from '#web/features/pages/index.tsx';
import { usePlace } from './place.ts';
import type { RouteMatch } from './routes.ts';

/** The desk's screens: what they show stands in the address. */
export function DeskRoute({ match }: Readonly<{ match: RouteMatch }>): ReactNode {
  return (
    <ConnectedScreen>
      <Screen match={match} address={usePlace().search} />
    </ConnectedScreen>
  );
}

function Screen({ match, address }: Readonly<{ match: RouteMatch; address: string }>): ReactNode {
  switch (match.entry.screen) {
    case 'desk-inbox':
      return <InboxScreen address={address} />;
    case 'desk-board':
      return <BoardScreen address={address} />;
    case 'desk-people':
      return <PeopleScreen />;
    default:
      return match.contribution === undefined ? (
        <NotFoundScreen />
      ) : (
        <ContributionScreen id={match.contribution} address={address} />
      );
  }
}
