import { http, HttpResponse } from 'msw';

/**
 * For tests: `/storage/v1/upload/resumable` in memory (supabase-contract §3.3). `offered` false: a backend without it.
 */
export type FakeResumable = {
  offered: boolean;
  uploads: Map<string, { length: number; content: string; metadata: ReadonlyMap<string, string> }>;
};

type World = Readonly<{ objects: Map<string, string | Buffer<ArrayBuffer>>; resumable: FakeResumable }>;
type Recorder<W> = (
  world: W,
  call: string,
  request: Request,
) => Promise<Readonly<{ failed: Response | undefined; text: string }>>;

const ENDPOINT = '*/storage/v1/upload/resumable';
const TUS = { 'tus-resumable': '1.0.0' };

export function resumableHandlers<W extends World>(world: W, record: Recorder<W>) {
  const { objects, resumable } = world;
  const getUpload = (request: Request) => resumable.uploads.get(request.url.split('/').at(-1) ?? '');
  return [
    http.post(ENDPOINT, async ({ request }) => {
      const { failed } = await record(world, 'POST resumable', request);
      if (failed !== undefined) return failed;
      if (!resumable.offered) return HttpResponse.json({ message: 'Route not found' }, { status: 404 });
      const id = `upload-${resumable.uploads.size + 1}`;
      const metadata = decode(request.headers.get('upload-metadata') ?? '');
      resumable.uploads.set(id, { length: Number(request.headers.get('upload-length')), content: '', metadata });
      return new Response(null, { status: 201, headers: { ...TUS, location: `${request.url}/${id}` } });
    }),
    http.head(`${ENDPOINT}/:id`, async ({ request }) => {
      const { failed } = await record(world, 'HEAD resumable', request);
      if (failed !== undefined) return failed;
      const upload = getUpload(request);
      if (upload === undefined) return new Response(null, { status: 404, headers: TUS });
      const headers = { 'upload-offset': String(upload.content.length), 'upload-length': String(upload.length) };
      return new Response(null, { status: 200, headers: { ...TUS, ...headers } });
    }),
    http.patch(`${ENDPOINT}/:id`, async ({ request }) => {
      const { failed, text } = await record(world, 'PATCH resumable', request);
      if (failed !== undefined) return failed;
      const upload = getUpload(request);
      if (upload === undefined) return new Response('Upload not found', { status: 404 });
      if (Number(request.headers.get('upload-offset')) !== upload.content.length)
        return new Response('Upload-Offset conflict', { status: 409 });
      upload.content += text;
      if (upload.content.length === upload.length) objects.set(upload.metadata.get('objectName') ?? '', upload.content);
      return new Response(null, {
        status: 204,
        headers: { ...TUS, 'upload-offset': String(upload.content.length) },
      });
    }),
  ];
}

function decode(metadata: string): ReadonlyMap<string, string> {
  return new Map(
    metadata.split(',').map((pair) => {
      const [name = '', value = ''] = pair.split(' ');
      return [name, atob(value)];
    }),
  );
}
