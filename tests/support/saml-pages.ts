import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SamlIdp, Said } from './saml-idp.ts';
import { stopServer } from './stop-server.ts';

/** The login page of a company, as its people see it. */
export type SamlPages = Readonly<{
  /** Where the requests of this company's people go. */
  getLocation: (company: string) => string;
  /** Whoever signs in there next is this person; `change` says what else the answer is to say. */
  expectPerson: (company: string, idp: SamlIdp, email: string, change?: Partial<Said>) => void;
  stop: () => Promise<void>;
}>;

type Visit = Readonly<{ idp: SamlIdp; email: string; change: Partial<Said> }>;

export async function startSamlPages(): Promise<SamlPages> {
  const visits = new Map<string, Visit>();
  let origin = '';
  const serve = async (url: URL, response: ServerResponse): Promise<void> => {
    const visit = visits.get(url.pathname);
    if (visit === undefined) return void response.writeHead(404).end();
    const { acs, fields } = await getAnswer(visit, url);
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(
        `<title>Firmenanmeldung</title><h1>Firmenanmeldung</h1><form method="post" action="${acs}">${fields}<button>Als ${visit.email} fortfahren</button></form>`,
      );
  };
  const server = createServer((request, response) => {
    void serve(new URL(request.url ?? '/', origin), response).catch((error: unknown) =>
      response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    getLocation: (company) => `${origin}/${company}`,
    expectPerson: (company, idp, email, change = {}) => void visits.set(`/${company}`, { idp, email, change }),
    stop: () => stopServer(server),
  };
}

async function getAnswer({ idp, email, change }: Visit, url: URL): Promise<{ acs: string; fields: string }> {
  const posted = await idp.answer(url.href, email, change);
  const fields = Object.entries(posted).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
  return { acs: idp.acs, fields: fields.join('') };
}
