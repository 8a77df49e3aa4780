export { applyContributionSettings } from './settings.ts';
export { forgetNetworks } from './forget-networks.ts';
