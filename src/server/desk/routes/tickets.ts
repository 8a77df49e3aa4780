import { DESK_PATH, TicketRequestSchema, type Ticket } from '#contract/desk-files.ts';
import type { Administrator } from '../../administrator.ts';
import { formatFileUrl } from '../../stored-file.ts';
import { readDossier, readFile } from '../contribution.ts';
import { verifyStoredFile } from '../integrity.ts';
import { requireCleanCopy } from '../clean-files.ts';
import { administratorRoute } from '../route.ts';
import { readPost } from './posts.ts';

/** POST /tickets issues a ticket for a plain link. A link cannot show errors, so the file is verified here. */
export const issueTicket = administratorRoute(
  { method: 'POST', url: `${DESK_PATH}/tickets`, body: TicketRequestSchema },
  async ({ context: { access, backend }, body: { path } }, admin): Promise<Ticket> => {
    await requireFile(admin, path, backend());
    return { url: await access.issueUrl(admin, path) };
  },
);

async function requireFile({ client, token }: Administrator, path: string, backend: string): Promise<void> {
  const [, id, file, post] = /\/contributions\/(\d+)(?:\/files\/(\d+)|\/posts\/(\d+))?/.exec(path) ?? [];
  if (post !== undefined) return void (await readPost(client, Number(id), Number(post)));
  if (file === undefined) return void (await readDossier(client, Number(id)));
  const { path: stored } = await readFile(client, Number(id), Number(file));
  const [url, headers] = [formatFileUrl(backend, stored), { authorization: `Bearer ${token}` }];
  await verifyStoredFile(url, headers);
  if (path.endsWith('/clean')) await requireCleanCopy(url, headers);
}
