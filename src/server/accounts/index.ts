export { makeFirstAccounts } from './first-accounts.ts';
export { applyAccountSettings } from './settings.ts';
export { accountRoutes } from './routes.ts';
