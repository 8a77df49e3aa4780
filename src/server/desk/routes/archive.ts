import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DESK_PATH } from '#contract/desk-files.ts';
import { collectMembers } from '../archive/members.ts';
import { sendArchive } from '../archive/pack.ts';
import { audit } from '../audit.ts';
import { readDossier } from '../contribution.ts';
import type { Desk } from '../deps.ts';
import { Id, parseRequest } from '../parse.ts';
import { TEXTS } from '../texts.ts';

const Params = z.object({ id: Id });

/** GET /contributions/:id/archive: everything of one contribution as a ZIP. */
export function archive(app: FastifyInstance, { access, backend }: Desk): void {
  app.get(`${DESK_PATH}/contributions/:id/archive`, { exposeHeadRoute: false }, async (request, reply) => {
    const { admin } = await access.authorizeDownload(request);
    const { id } = parseRequest(Params, request.params);
    const dossier = await readDossier(admin.client, id);
    const members = await collectMembers(admin.client, dossier, { backend: backend(), folder: '' });
    await audit(admin.client, 'archive', { contribution: id, detail: { files: members.files.length } });
    return sendArchive(reply, TEXTS.archive(id), [...members.texts, ...members.files]);
  });
}
