import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll } from 'vitest';
import { DEFAULT_LIMITS } from '#contract/limits.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { connectBackend } from '#web/backend/connect.ts';
import { resumableHandlers, type FakeResumable } from '#tests/support/web/fake-resumable.ts';

const FAKE_URL = location.origin;

type WireCall = Readonly<{ call: string; search: URLSearchParams; headers: Headers; body: unknown }>;
type Failure = Readonly<{ status: number; body: unknown } | { page: number }> | 'network' | 'silence' | Promise<void>;
type Row = Record<string, unknown>;

/** For tests: what the official client meets on the wire, in memory. Every call is recorded, every call can fail. */
export type FakeBackend = Readonly<{
  backend: BackendClient;
  calls: WireCall[];
  interviews: Map<number, Row>;
  media: Row[];
  /** Rows of contribution_origins. */
  origins: unknown[];
  objects: Map<string, string | Buffer<ArrayBuffer>>;
  resumable: FakeResumable;
  /**
   * Makes the next `times` calls of this kind fail, such as `POST interviews` or `GET bucket`; `after` of them go well
   * before. A promise only delays the answer.
   */
  fail: (call: string, failure: Failure, times?: number, after?: number) => void;
  called: (call: string) => WireCall[];
  close: () => void;
}>;

export const NETWORK: Failure = 'network';
/** A line that swallows everything. */
export const SILENCE: Failure = 'silence';

/** What a proxy, a captive portal or a gateway without its backend answers. */
export function page(status: number): Failure {
  return { page: status };
}

export function refusal(status: number, code: string): Failure {
  return { status, body: { code, message: `provoked ${code}`, details: null, hint: null } };
}

export function storageRefusal(statusCode: string, code: string): Failure {
  return { status: 400, body: { statusCode, error: code, message: `provoked ${code}`, code } };
}

type World = Omit<FakeBackend, 'backend' | 'fail' | 'called' | 'close'> & {
  failures: Map<string, (Failure | undefined)[]>;
};

/** Answers before the client is made: the interceptor brings classes of its own, such as Headers. */
const server = setupServer();
server.listen({ onUnhandledFrame: 'error' });
afterAll(() => server.close());

/** One client for all: a second one would only warn of the first. */
const backend = connectBackend({
  supabaseUrl: FAKE_URL,
  supabaseKey: 'public-key',
  brand: { association: 'Ingenieurverband', product: 'Assistent', imprintUrl: '/i', privacyUrl: '/d' },
  limits: { ...DEFAULT_LIMITS },
  transcription: true,
  keepRecordings: false,
  cloudRecognition: false,
  openContributions: true,
  secondFactorRoles: [],
});

/** An empty backend at FAKE_URL; `close` ends it, and every call is an error from then on. */
export function startFakeBackend(): FakeBackend {
  const world: World = {
    calls: [],
    interviews: new Map(),
    media: [],
    origins: [],
    objects: new Map(),
    resumable: { offered: true, uploads: new Map() },
    failures: new Map(),
  };
  server.resetHandlers();
  server.use(
    ...interviewHandlers(world),
    ...mediaHandlers(world),
    ...originHandlers(world),
    ...storageHandlers(world),
    ...resumableHandlers(world, record),
  );
  return {
    ...world,
    backend,
    fail: (call, failure, times = 1, after = 0) =>
      world.failures.set(
        call,
        Array.from({ length: after + times }, (_, index) => (index < after ? undefined : failure)),
      ),
    called: (call) => world.calls.filter((made) => made.call === call),
    close: () => server.resetHandlers(),
  };
}

type Received = Readonly<{ failed: Response | undefined; body: Row; text: string }>;

async function record(world: World, call: string, request: Request): Promise<Received> {
  const text = await request.clone().text();
  const body: Row = text.startsWith('{') ? JSON.parse(text) : {};
  const { searchParams: search } = new URL(request.url);
  world.calls.push({ call, search, headers: request.headers, body: text.startsWith('{') ? body : text });
  const failure = world.failures.get(call)?.shift();
  if (failure instanceof Promise) await failure;
  if (failure === 'silence') await new Promise(() => {});
  return { failed: getAnswer(failure), body, text };
}

function getAnswer(failure: Failure | undefined): Response | undefined {
  if (failure === undefined || failure instanceof Promise) return undefined;
  if (typeof failure === 'string') return HttpResponse.error();
  if ('page' in failure) return HttpResponse.html('<html>Bitte anmelden</html>', { status: failure.page });
  return Response.json(failure.body, { status: failure.status });
}

function getId(request: Request): number {
  return Number(new URL(request.url).searchParams.get('id')?.replace('eq.', ''));
}

function interviewHandlers(world: World) {
  const url = `${FAKE_URL}/rest/v1/interviews`;
  const single = (request: Request) => request.headers.get('accept')?.includes('vnd.pgrst.object') ?? false;
  return [
    http.get(url, async ({ request }) => {
      const { failed } = await record(world, 'GET interviews', request);
      if (failed !== undefined) return failed;
      const filter = new URL(request.url).searchParams.has('id');
      const row = world.interviews.get(getId(request));
      return Response.json(filter && row !== undefined ? [row] : []);
    }),
    http.post(url, async ({ request }) => {
      const { failed, body } = await record(world, 'POST interviews', request);
      if (failed !== undefined) return failed;
      const id = Number(body['id'] ?? 4711 + world.interviews.size);
      world.interviews.set(id, { ...body, id });
      return Response.json(single(request) ? { id } : [{ id }], { status: 201 });
    }),
    http.patch(url, async ({ request }) => {
      const { failed, body } = await record(world, 'PATCH interviews', request);
      if (failed !== undefined) return failed;
      const row = world.interviews.get(getId(request));
      if (row === undefined) return Response.json([]);
      Object.assign(row, body);
      return Response.json([{ id: row['id'] }]);
    }),
  ];
}

function mediaHandlers(world: World) {
  const url = `${FAKE_URL}/rest/v1/media_uploads`;
  return [
    http.get(url, async ({ request }) => {
      const { failed } = await record(world, 'GET media_uploads', request);
      const id = new URL(request.url).searchParams.get('interview_id')?.replace('eq.', '');
      return failed ?? Response.json(world.media.filter((row) => String(row['interview_id']) === id));
    }),
    http.post(url, async ({ request }) => {
      const { failed, body } = await record(world, 'POST media_uploads', request);
      if (failed !== undefined) return failed;
      if (world.media.some((row) => row['file_path'] === body['file_path'])) {
        return Response.json({ code: '23505', message: 'duplicate key' }, { status: 409 });
      }
      world.media.push(body);
      return new Response(null, { status: 201 });
    }),
    http.post(`${FAKE_URL}/rest/v1/rpc/answer_image_rights`, async ({ request }) => {
      const { failed, body } = await record(world, 'POST answer_image_rights', request);
      if (failed !== undefined) return failed;
      const row = world.media.find((candidate) => candidate['file_path'] === body['path']);
      const complete = world.interviews.get(Number(row?.['interview_id']))?.['contact_email'] !== undefined;
      if (row === undefined || complete) return Response.json(false);
      row['image_rights'] = body['rights'];
      return Response.json(true);
    }),
  ];
}

/** Is told of every origin in passing, so it is not among the calls a flow is judged by. */
function originHandlers(world: World) {
  return [
    http.post(`${FAKE_URL}/rest/v1/contribution_origins`, async ({ request }) => {
      const row: unknown = await request.json();
      world.origins.push(row);
      return new Response(null, { status: 201 });
    }),
  ];
}

function storageHandlers(world: World) {
  const storage = `${FAKE_URL}/storage/v1`;
  return [
    http.get(`${storage}/bucket/Media`, async ({ request }) => {
      return (await record(world, 'GET bucket', request)).failed ?? Response.json({ id: 'Media', name: 'Media' });
    }),
    http.post(`${storage}/bucket`, async ({ request }) => {
      return (await record(world, 'POST bucket', request)).failed ?? Response.json({ name: 'Media' });
    }),
    http.post(`${storage}/object/Media/*`, async ({ request }) => {
      const { failed, text } = await record(world, 'POST object', request);
      if (failed !== undefined) return failed;
      const path = decodeURIComponent(new URL(request.url).pathname.split('/Media/')[1] ?? '');
      world.objects.set(path, toContent(text));
      return Response.json({ Key: `Media/${path}`, Id: crypto.randomUUID() });
    }),
    http.get(`${storage}/object/Media/*`, async ({ request }) => {
      const { failed } = await record(world, 'GET object', request);
      if (failed !== undefined) return failed;
      const content = world.objects.get(decodeURIComponent(new URL(request.url).pathname.split('/Media/')[1] ?? ''));
      if (content !== undefined) return new Response(content, { headers: { 'content-type': 'text/plain' } });
      return Response.json({ statusCode: '404', message: 'Object not found', code: 'NoSuchKey' }, { status: 400 });
    }),
  ];
}

/** The file's part of a multipart body: what stands between its headers and the closing boundary. */
function toContent(multipart: string): string {
  return /name="";[\s\S]*?\r\n\r\n([\s\S]*)\r\n--/.exec(multipart)?.[1] ?? '';
}
