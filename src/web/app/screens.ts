import { lazy } from 'react';
import { afterLoad } from '#web/ui/after-load.ts';

/** Rooms by their doors, each loaded when it is first entered. */
const login = () => import('#web/rooms/login/index.ts');
const start = () => import('#web/rooms/start/index.ts');
const dashboard = () => import('#web/rooms/dashboard/index.ts');

export const Login = lazy(() => login().then((room) => ({ default: room.LoginScreen })));
export const ForgottenPassword = lazy(() => login().then((room) => ({ default: room.ForgottenPasswordScreen })));
export const NewPassword = lazy(() => login().then((room) => ({ default: room.NewPasswordScreen })));
export const Start = lazy(() => start().then((room) => ({ default: room.StartScreen })));
export const ContentSelection = lazy(() => start().then((room) => ({ default: room.ContentSelectionScreen })));
export const Dashboard = lazy(() => dashboard().then((room) => ({ default: room.DashboardScreen })));
export const Admin = lazy(() => import('./admin-route.tsx').then((module) => ({ default: module.AdminRoute })));
export const Accounts = lazy(() => import('./admin-route.tsx').then((module) => ({ default: module.AccountsRoute })));
export const MailCode = lazy(() => login().then((room) => ({ default: room.MailCodeScreen })));
export const CompanyLogin = lazy(() => login().then((room) => ({ default: room.CompanyLoginScreen })));
export const SecondFactor = lazy(() =>
  import('./account-route.tsx').then((module) => ({ default: module.SecondFactorRoute })),
);
export const Account = lazy(() => import('./account-route.tsx').then((module) => ({ default: module.AccountRoute })));
export const Desk = lazy(() => import('./desk-route.tsx').then((module) => ({ default: module.DeskRoute })));
export const NoRole = lazy(() =>
  import('#web/rooms/no-role/index.ts').then((room) => ({ default: room.NoRoleScreen })),
);
export const NotFound = lazy(() =>
  import('#web/rooms/not-found/index.ts').then((room) => ({ default: room.NotFoundScreen })),
);
export const Legal = lazy(() => import('#web/rooms/legal/index.ts').then((room) => ({ default: room.LegalScreen })));
export const Outbox = lazy(() => import('#web/rooms/outbox/index.ts').then((room) => ({ default: room.OutboxScreen })));
export const OutboxBadge = lazy(() =>
  afterLoad().then(async () => {
    const { OutboxBadge: Badge } = await import('./outbox/outbox-badge.tsx');
    return { default: Badge };
  }),
);
/** Not before the first screen stands: it also sets off the fetching of everything for later. */
export const UpdateNotice = lazy(() =>
  afterLoad().then(async () => {
    const { UpdateNotice: Notice } = await import('./update/update-notice.tsx');
    return { default: Notice };
  }),
);
