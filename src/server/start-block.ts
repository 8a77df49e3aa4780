import type { Env } from './env.ts';

export type StartFacts = Readonly<{
  env: Env;
  url: string;
  /** Of the first accounts; empty where there were some. */
  accounts: string;
  /** One line about what transcribes. */
  transcription: string;
}>;

type Optional = readonly [name: string, variable: keyof Env];

/** What an installation gets along without, in the order in which it is missed. */
const OPTIONAL: readonly Optional[] = [
  ['öffentliche Adresse', 'PUBLIC_URL'],
  ['Mailversand', 'SMTP_URL'],
  ['Sprachmodell', 'LLM_URL'],
  ['Stimme im Interview', 'TTS_URL'],
  ['Frist für Beiträge', 'RETENTION_DAYS'],
];

/** The end of `npm start`: address, accounts, and what is not configured. */
export function formatStartBlock({ env, url, accounts, transcription }: StartFacts): string {
  const address = env.PUBLIC_URL ?? url;
  const missing = listMissing(env).map(([name, variable]) => `    ${name} (${variable})`);
  return [
    '',
    accounts,
    `  ${transcription}`,
    ...(missing.length === 0 ? [] : ['  Nicht eingerichtet:', ...missing]),
    '',
    `  ${env.BRAND_PRODUCT}: ${address}`,
    `  Einrichtung: ${address}/admin/einrichtung`,
    '',
    '',
  ].join('\n');
}

function listMissing(env: Env): readonly Optional[] {
  const hosted = env.VOICE_AGENT_URL !== undefined;
  return OPTIONAL.filter(([, variable]) => env[variable] === undefined && !(hosted && variable === 'TTS_URL'));
}
