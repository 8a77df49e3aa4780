import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Part = Readonly<{ number: number; size: number; etag: string }>;

/**
 * Stands before a loopback S3 server that can neither list the parts of a multipart upload nor abort it, and answers
 * these two calls itself.
 */
export async function listingParts(port: number): Promise<{ port: number; stop: () => Promise<void> }> {
  const uploads = new Map<string, Part[]>();
  const server = createServer((asked, answer) => {
    const query = new URL(asked.url ?? '/', 'http://x').searchParams;
    const upload = query.get('uploadId');
    if (asked.method === 'GET' && upload !== null) return list(uploads.get(upload) ?? [], answer);
    if (asked.method === 'DELETE' && upload !== null)
      return void answer.writeHead(uploads.delete(upload) ? 204 : 404).end();
    forward(asked, answer, port, (status, etag) => {
      if (asked.method !== 'PUT' || upload === null || status !== 200) return;
      const part = {
        number: Number(query.get('partNumber')),
        size: Number(asked.headers['content-length'] ?? 0),
        etag,
      };
      const others = (uploads.get(upload) ?? []).filter(({ number }) => number !== part.number);
      uploads.set(
        upload,
        [...others, part].toSorted((a, b) => a.number - b.number),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

function list(parts: readonly Part[], answer: ServerResponse): void {
  const entries = parts.map(
    ({ number, size, etag }) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag><Size>${size}</Size></Part>`,
  );
  answer.writeHead(200, { 'content-type': 'application/xml' });
  answer.end(
    `<?xml version="1.0"?><ListPartsResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListPartsResult>`,
  );
}

function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  port: number,
  seen: (status: number, etag: string) => void,
): void {
  const passed = request(
    { host: '127.0.0.1', port, method: asked.method, path: asked.url, headers: asked.headers },
    (got) => {
      seen(got.statusCode ?? 0, got.headers.etag ?? '');
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    },
  );
  passed.once('error', () => answer.destroy());
  asked.pipe(passed);
  asked.once('close', () => void (asked.complete || passed.destroy()));
}
