import { z } from 'zod';
import { FORM_ROUTES, ROUTES } from '#backend/auth/routes/index.ts';
import { REST_ROUTES } from '#backend/rest/index.ts';
import { STORAGE_ROUTES } from '#backend/storage/index.ts';
import type { Route } from '#http/route.ts';
import { ACCOUNT_ROUTES } from '#server/accounts/index.ts';
import { APPLICATION_ROUTES } from '#server/application/index.ts';
import { DESK_ROUTES } from '#server/desk/index.ts';
import { DRAFT_ROUTES } from '#server/drafts/index.ts';
import { REVIEW_ROUTES } from '#server/review/index.ts';
import { SETUP_PARTS_ROUTES } from '#server/setup/index.ts';
import { SPEECH_ROUTES } from '#server/speech/index.ts';
import { SETUP_ROUTES } from '#server/speech/setup/routes.ts';
import { VOICE_ROUTES } from '#server/voice-agent/index.ts';

type Declared = Pick<Route<never>, 'spec' | 'caller'>;
export type Service = Readonly<{ title: string; prefix: string; remark: string; routes: readonly Declared[] }>;

const FORM = 'application/x-www-form-urlencoded';

export const SERVICES: readonly Service[] = [
  {
    title: 'Authentication',
    prefix: '/auth/v1',
    remark:
      'Bodies are JSON of at most 1 MB. These routes answer no HEAD. The limits are groups; their keys are in' +
      ' docs/authentication.md (`[auth.rate_limit]`, `[auth.mfa]`, `[auth.saml]`).',
    routes: [...ROUTES, ...FORM_ROUTES.map(({ spec, caller }) => ({ spec: { content: FORM, ...spec }, caller }))],
  },
  {
    title: 'Rows and functions',
    prefix: '/rest/v1',
    remark: 'Bodies are at most 10 MiB. Each caller has a limit on requests at the same time (decision 0130).',
    routes: REST_ROUTES,
  },
  {
    title: 'Files',
    prefix: '/storage/v1',
    remark:
      'The limits on files are those of the bucket and of the installation; further bodies are JSON of at most 1 MiB,' +
      ' lists of paths (`POST /object/sign/:bucket`, `DELETE /object/:bucket`) of at most 4 MiB.',
    routes: STORAGE_ROUTES,
  },
  { title: 'Transcription', prefix: '', remark: 'The body is at most `LIMIT_RECORDING_BYTES`.', routes: SPEECH_ROUTES },
  { title: 'Set-up', prefix: '', remark: 'Bodies are empty.', routes: [...SETUP_PARTS_ROUTES, ...SETUP_ROUTES] },
  {
    title: 'Voice agent',
    prefix: '',
    remark: 'Bodies are JSON of at most 1 MiB, which are checked before the caller.',
    routes: VOICE_ROUTES,
  },
  { title: 'Accounts', prefix: '', remark: 'Bodies are JSON of at most 1 MiB.', routes: ACCOUNT_ROUTES },
  {
    title: 'Desk',
    prefix: '',
    remark: 'Bodies are JSON of at most 1 MiB. These routes answer no HEAD.',
    routes: DESK_ROUTES,
  },
  {
    title: 'Drafts',
    prefix: '',
    remark: 'Bodies are JSON of at most 1 MiB; the answer is an event stream (docs/posts.md).',
    routes: DRAFT_ROUTES,
  },
  { title: 'Review', prefix: '', remark: 'Bodies are JSON of at most 1 MiB.', routes: REVIEW_ROUTES },
  { title: 'Application', prefix: '', remark: 'All other paths are files of the build.', routes: APPLICATION_ROUTES },
];

const HEAD = `# Routes

All routes of the server, written by \`npm run routes\` from their declarations (\`src/http/route.ts\`); a unit test fails where this page is
stale. Limits by address are checked first, then caller, then body; other limits follow the caller. GET includes HEAD. \`?\` marks what may be
missing.
`;

export function formatRoutesPage(): string {
  return [HEAD, ...SERVICES.map(formatService)].join('\n');
}

function formatService({ title, prefix, remark, routes }: Service): string {
  const rows = routes.map(({ spec, caller }) => {
    const methods = [spec.method].flat();
    const shown = methods.filter((method) => method !== 'HEAD' || !methods.includes('GET'));
    const cells = [caller, formatLimit(spec), formatBody(spec)];
    return { method: shown.join(', '), path: `${prefix}${spec.url}`, cells };
  });
  const lines = rows
    .toSorted((a, b) => a.path.localeCompare(b.path, 'en') || a.method.localeCompare(b.method, 'en'))
    .map(({ method, path, cells }) => `| ${method} | \`${path}\` | ${cells.join(' | ')} |`);
  return `## ${title}\n\n${remark}\n\n| Method | Path | Caller | Limit | Body |\n|---|---|---|---|---|\n${lines.join('\n')}\n`;
}

function formatLimit(spec: Declared['spec']): string {
  return (
    [...(spec.limit === undefined ? [] : [spec.limit]), ...('captcha' in spec ? ['captcha'] : [])].join(', ') || '–'
  );
}

function formatBody({ body, content }: Declared['spec']): string {
  return content ?? (body === undefined ? '–' : describeSchema(body));
}

const JsonSchema = z.object({
  type: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).default([]),
  anyOf: z.array(z.unknown()).optional(),
});

/** Names the members of a body. */
export function describeSchema(schema: z.core.$ZodType): string {
  return describeJson(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

function describeJson(given: unknown): string {
  const { type = 'any', properties, required, anyOf } = JsonSchema.parse(given);
  if (anyOf !== undefined) return anyOf.map(describeJson).join(' or ');
  if (properties === undefined) return type;
  return Object.keys(properties)
    .map((name) => `\`${name}${required.includes(name) ? '' : '?'}\``)
    .join(', ');
}
