export { makeFirstAccounts } from './first-accounts.ts';
export { accountRoutes } from './routes.ts';
