export { applyContributionSettings } from './settings.ts';
export { limitContributions } from './limit.ts';
