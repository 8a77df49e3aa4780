import type { ReactNode } from 'react';
import { ConnectedScreen } from '#web/backend/server-state.tsx';
import { ContributionScreen } from './contribution-screen.tsx';

/** A contribution with its posts: a file of its own, which the desk's lists do not wait for. */
export function ContributionRoute(props: Parameters<typeof ContributionScreen>[0]): ReactNode {
  return (
    <ConnectedScreen>
      <ContributionScreen {...props} />
    </ConnectedScreen>
  );
}
