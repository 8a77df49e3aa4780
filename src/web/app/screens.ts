import { lazy } from 'react';
import { ahead, type Ahead } from './ahead.tsx';
import { beside } from './beside.tsx';
import type { Screen } from './routes.ts';

/** Rooms by their doors, each loaded when it is first entered. */
const login = () => import('#web/features/login/index.ts');
const start = () => import('#web/features/start/index.ts');
const dashboard = () => import('#web/features/dashboard/index.ts');

export const Login = lazy(() => login().then((room) => ({ default: room.LoginScreen })));
export const ForgottenPassword = lazy(() => login().then((room) => ({ default: room.ForgottenPasswordScreen })));
export const NewPassword = lazy(() => login().then((room) => ({ default: room.NewPasswordScreen })));
export const Start = ahead(() => start().then((room) => room.StartScreen));
export const ContentSelection = ahead(() => start().then((room) => room.ContentSelectionScreen));
export const Dashboard = ahead(() => dashboard().then((room) => room.DashboardScreen));
export const Admin = ahead(() => import('./admin-route.tsx').then((module) => module.AdminRoute));
export const Accounts = ahead(() => import('./admin-route.tsx').then((module) => module.AccountsRoute));
export const Setup = ahead(() => import('./setup-route.tsx').then((module) => module.SetupRoute));
export const MailCode = lazy(() => login().then((room) => ({ default: room.MailCodeScreen })));
export const CompanyLogin = lazy(() => login().then((room) => ({ default: room.CompanyLoginScreen })));
export const SecondFactor = lazy(() =>
  import('./account-route.tsx').then((module) => ({ default: module.SecondFactorRoute })),
);
export const Account = ahead(() => import('./account-route.tsx').then((module) => module.AccountRoute));
export const Desk = ahead(() => import('./desk-route.tsx').then((module) => module.DeskRoute));
export const NoRole = lazy(() =>
  import('#web/features/no-role/index.ts').then((room) => ({ default: room.NoRoleScreen })),
);
export const NotFound = lazy(() =>
  import('#web/features/not-found/index.ts').then((room) => ({ default: room.NotFoundScreen })),
);
export const Legal = lazy(() => import('#web/features/legal/index.ts').then((room) => ({ default: room.LegalScreen })));
export const Outbox = lazy(() =>
  import('#web/features/outbox/index.ts').then((room) => ({ default: room.OutboxScreen })),
);
export const OutboxBadge = beside(() => import('./outbox/outbox-badge.tsx').then((module) => module.OutboxBadge));
/** It also sets off the fetching of everything for later. */
export const UpdateNotice = beside(() => import('./update/update-notice.tsx').then((module) => module.UpdateNotice));

const AHEAD: Partial<Record<Screen, Pick<Ahead<never>, 'fetch'>>> = {
  start: Start,
  'content-selection': ContentSelection,
  dashboard: Dashboard,
  admin: Admin,
  accounts: Accounts,
  setup: Setup,
  account: Account,
  'desk-inbox': Desk,
  'desk-board': Desk,
  'desk-people': Desk,
  'desk-contribution': Desk,
};

/** What will be shown, while the session is still being looked up. */
export function fetchAhead(screen: Screen | undefined): void {
  if (screen !== undefined) void AHEAD[screen]?.fetch();
}
