/** As the providers write themselves. */
const NAMES: Readonly<Record<string, string>> = {
  azure: 'Microsoft',
  github: 'GitHub',
  gitlab: 'GitLab',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
};

/** For people; of a provider that only the operator knows, the section's name. */
export function providerName(provider: string): string {
  const name = provider.replaceAll(/[_-]+/g, ' ');
  return NAMES[provider] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
