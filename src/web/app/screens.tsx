import { lazy, type ReactNode } from 'react';
import { useAppConfig } from '#web/backend/config.ts';
import { laterPart } from '#web/backend/later-part.ts';
import { keepsAnyRole } from '#web/backend/role.ts';
import { findAnySession } from '#web/backend/stored-session.ts';
import { afterScreen } from '#web/ui/after-load.ts';
import { fetchFlowAhead, FlowScreenOf } from './flow-screens.tsx';
import { lazyPart, lazyPartAtOnce, lazyWithFetch, type Prefetchable } from './lazy-parts.tsx';
import { arrivalIn, usePlace } from './place.ts';
import { isFlow, matchRoute, type RouteMatch, type Screen } from './routes.ts';
import { useLogout } from './use-logout.ts';

/** The features by their index, each loaded when it is first shown. */
const login = () => import('#web/features/login/index.tsx');
const start = () => import('#web/features/start/index.tsx');
const account = () => import('#web/features/account/index.tsx');
const pages = () => import('#web/features/pages/index.tsx');
const admin = () => import('./admin-route.tsx');
const sender = () => import('./outbox-sender.tsx');

/** Of the backend. */
export const loadClient = laterPart('client', () => import('#web/backend/connect.ts'));
const Login = lazyWithFetch(() => login().then((feature) => feature.LoginScreen));
const ForgottenPassword = lazy(() => login().then((feature) => ({ default: feature.ForgottenPasswordScreen })));
const NewPassword = lazy(() => login().then((feature) => ({ default: feature.NewPasswordScreen })));
const Start = lazyWithFetch(() => start().then((feature) => feature.StartScreen));
const ContentSelection = lazyWithFetch(() => start().then((feature) => feature.ContentSelectionScreen));
const Dashboard = lazyWithFetch(() =>
  import('#web/features/dashboard/index.tsx').then((feature) => feature.DashboardScreen),
);
const Admin = lazyWithFetch(() => admin().then((module) => module.AdminRoute));
const Accounts = lazyWithFetch(() => admin().then((module) => module.AccountsRoute));
const Setup = lazyWithFetch(() => import('#web/features/setup/index.tsx').then((feature) => feature.SetupScreen));
const MailCode = lazy(() => login().then((feature) => ({ default: feature.MailCodeScreen })));
const CompanyLogin = lazy(() => login().then((feature) => ({ default: feature.CompanyLoginScreen })));
const SecondFactor = lazy(() => account().then((feature) => ({ default: feature.SecondFactorRoute })));
const Account = lazyWithFetch(() => account().then((feature) => feature.AccountRoute));
const Desk = lazyWithFetch(() => import('#web/features/desk/index.tsx').then((feature) => feature.DeskRoute));
const Contribution = lazyWithFetch(() =>
  import('#web/features/desk/contribution/index.tsx').then((feature) => feature.ContributionRoute),
);
const NoRole = lazy(() => pages().then((feature) => ({ default: feature.NoRoleScreen })));
export const NotFound = lazy(() => pages().then((feature) => ({ default: feature.NotFoundScreen })));
const Legal = lazy(() => pages().then((feature) => ({ default: feature.LegalScreen })));
const Outbox = lazy(() =>
  import('#web/features/outbox/index.tsx').then((feature) => ({ default: feature.OutboxScreen })),
);
const OwnContributions = lazyWithFetch(() =>
  import('#web/features/own-contributions/index.tsx').then((feature) => feature.OwnContributionsScreen),
);
/** The start page does not wait for it, and takes nothing else of its feature. */
const Unfinished = lazyPart(
  'unfinished',
  () => import('#web/features/own-contributions/unfinished-section.tsx').then((feature) => feature.UnfinishedSection),
  afterScreen,
);
const Review = lazyWithFetch(() => import('#web/features/review/index.tsx').then((feature) => feature.ReviewScreen));
/** Fetched at the first press: the review page is usable without it. */
const loadSpokenWords = laterPart('spoken-words', () =>
  import('#web/features/voice-message/index.ts').then((feature) => feature.SpokenWords),
);
export const OutboxSender = lazyPart('outbox-sender', () => sender().then((module) => module.OutboxSender));
const OtherAccountsNotice = lazyPart('outbox-sender', () => sender().then((module) => module.OtherAccountsNotice));
/** For people with a role: the login does without them. */
const navigation = () => import('./navigation-parts.tsx');
export const HeaderNavigation = lazyPartAtOnce(() => navigation().then((module) => module.HeaderNavigation));
export const BarNavigation = lazyPartAtOnce(() => navigation().then((module) => module.BarNavigation));
/** Shown once a logout is near, so it never delays the first screen. */
export const IdleWarning = lazyPart('idle-warning', () =>
  import('./idle-warning.tsx').then((module) => module.IdleWarning),
);
/** Registers the service worker, which fetches everything else. */
export const UpdateNotice = lazyPart('update-notice', () =>
  import('./update-notice.tsx').then((module) => module.UpdateNotice),
);

const PREFETCHED: Partial<Record<Screen, Pick<Prefetchable<never>, 'fetch'>>> = {
  login: Login,
  review: Review,
  start: Start,
  // The generic area's is the start page.
  'content-selection': { fetch: async () => void (await Promise.all([Start.fetch(), ContentSelection.fetch()])) },
  dashboard: Dashboard,
  admin: Admin,
  accounts: Accounts,
  setup: Setup,
  account: Account,
  'own-contributions': OwnContributions,
  'desk-inbox': Desk,
  'desk-board': Desk,
  'desk-people': Desk,
  'desk-contribution': Contribution,
};

/** Fetches the screen to show while configuration and session are still being looked up. Never fails. */
export async function fetchAhead(screen: Screen | undefined): Promise<void> {
  if (screen !== undefined) await Promise.all([PREFETCHED[screen]?.fetch(), fetchFlowAhead(screen)]);
}

/** Screens that are usable before the client has come. */
const WITHOUT_CLIENT: readonly (Screen | undefined)[] = [
  'start',
  'content-selection',
  'dashboard',
  'upload',
  'voice-message',
  'video-upload',
  'image-upload',
  'document-upload',
  'interview-category',
];

/** At the very start: what will be shown, by the address and by whether anybody is logged in here. */
export async function fetchFirst(path: string): Promise<void> {
  const entry = matchRoute(path)?.entry;
  const kept = findAnySession(Date.now());
  const session = kept !== 'none';
  const open = entry?.access.kind === 'public' || (entry?.access.kind === 'roles' && entry.access.open);
  // A token that has ended is renewed by the client before anything is shown.
  const waits = session && !(kept === 'live' && keepsAnyRole() && WITHOUT_CLIENT.includes(entry?.screen));
  if (waits) loadClient().catch(() => undefined);
  // Beside a flow it may come later: nothing moves for it.
  const navigates = session && keepsAnyRole() && !isFlow(entry?.screen);
  const navigation = navigates ? [HeaderNavigation.fetch(), BarNavigation.fetch()] : [];
  await Promise.all([fetchAhead(session || open ? entry?.screen : 'login'), ...navigation]);
}

/** The screen of a route that the guard lets through. */
export function RouteScreen({ match }: Readonly<{ match: RouteMatch }>): ReactNode {
  const { brand } = useAppConfig();
  const logout = useLogout();
  const { state, search } = usePlace();
  const arrival = arrivalIn(state);
  const { entry, topic, contribution } = match;
  switch (entry.screen) {
    case 'login':
      return (
        <Login
          brand={brand}
          denied={'denied' in state}
          idle={'idle' in state}
          arrival={arrival}
          waiting={<OtherAccountsNotice />}
        />
      );
    case 'forgotten-password':
      return <ForgottenPassword />;
    case 'new-password':
      return <NewPassword arrival={arrival} />;
    case 'mail-code':
      return <MailCode />;
    case 'company-login':
      return <CompanyLogin />;
    case 'second-factor':
      return <SecondFactor onLogout={logout} />;
    case 'account':
      return <Account arrival={arrival} />;
    case 'imprint':
    case 'privacy':
      return <Legal page={entry.screen} brand={brand} />;
    case 'no-role':
      return <NoRole onLogout={logout} />;
    case 'start':
      return <Start unfinished={<Unfinished />} />;
    case 'admin':
      return <Admin association={brand.association} />;
    case 'accounts':
      return <Accounts />;
    case 'setup':
      return <Setup />;
    case 'desk-inbox':
    case 'desk-board':
    case 'desk-people':
      return <Desk screen={entry.screen} address={search} fetchNext={Contribution.fetch} />;
    case 'desk-contribution':
      return contribution !== undefined && <Contribution id={contribution} address={search} />;
    case 'outbox':
      return <Outbox />;
    case 'own-contributions':
      return <OwnContributions />;
    case 'review':
      return <Review loadRecorder={loadSpokenWords} />;
    case 'content-selection':
      // D5 gives the generic area's start page a second address (decision 0274).
      if (entry.area?.base === '') return <Start unfinished={<Unfinished />} />;
      return entry.area && <ContentSelection area={entry.area} />;
    case 'dashboard':
      return entry.area && <Dashboard area={entry.area} unfinished={<Unfinished />} />;
    default:
      return (
        entry.area && (
          <FlowScreenOf area={entry.area} flow={entry.screen} topic={topic} association={brand.association} />
        )
      );
  }
}
