import type { ReactNode } from 'react';
import { useBrand } from './brand.ts';
import { FlowScreenOf } from './flow-screens.tsx';
import { arrivalIn, usePlace } from './place.ts';
import type { RouteMatch } from './routes.ts';
import * as screens from './screens.ts';
import { useLogout } from './use-logout.ts';

/** The screen of a route that the guard lets through. */
export function RouteScreen({ match }: Readonly<{ match: RouteMatch }>): ReactNode {
  const brand = useBrand();
  const logout = useLogout();
  const { state } = usePlace();
  const arrival = arrivalIn(state);
  const { entry, topic } = match;
  switch (entry.screen) {
    case 'login':
      return <screens.Login brand={brand} denied={'denied' in state} idle={'idle' in state} arrival={arrival} />;
    case 'forgotten-password':
      return <screens.ForgottenPassword />;
    case 'new-password':
      return <screens.NewPassword />;
    case 'mail-code':
      return <screens.MailCode />;
    case 'company-login':
      return <screens.CompanyLogin />;
    case 'second-factor':
      return <screens.SecondFactor onLogout={logout} />;
    case 'account':
      return <screens.Account arrival={arrival} />;
    case 'imprint':
    case 'privacy':
      return <screens.Legal page={entry.screen} brand={brand} />;
    case 'no-role':
      return <screens.NoRole onLogout={logout} />;
    case 'start':
      return <screens.Start unfinished={<screens.Unfinished />} />;
    case 'admin':
      return <screens.Admin association={brand.association} />;
    case 'accounts':
      return <screens.Accounts />;
    case 'setup':
      return <screens.Setup />;
    case 'desk-inbox':
    case 'desk-board':
    case 'desk-people':
    case 'desk-contribution':
      return <screens.Desk match={match} />;
    case 'outbox':
      return <screens.Outbox />;
    case 'own-contributions':
      return <screens.OwnContributions />;
    case 'review':
      return <screens.Review loadRecorder={screens.loadSpokenWords} />;
    case 'content-selection':
      // D5 gives the generic area's start page a second address (decision 0274).
      if (entry.area?.base === '') return <screens.Start unfinished={<screens.Unfinished />} />;
      return entry.area && <screens.ContentSelection area={entry.area} />;
    case 'dashboard':
      return entry.area && <screens.Dashboard area={entry.area} unfinished={<screens.Unfinished />} />;
    default:
      return (
        entry.area && (
          <FlowScreenOf area={entry.area} flow={entry.screen} topic={topic} association={brand.association} />
        )
      );
  }
}
