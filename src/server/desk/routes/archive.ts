import { z } from 'zod';
import { DESK_PATH } from '#contract/desk-files.ts';
import { collectMembers } from '../archive/members.ts';
import { sendArchive } from '../archive/pack.ts';
import { audit } from '../audit.ts';
import { readDossier } from '../contribution.ts';
import { Id, parseRequest } from '../error.ts';
import { downloadRoute } from '../route.ts';
import { TEXTS } from '../texts.ts';

const Params = z.object({ id: Id });

/** GET /contributions/:id/archive: everything of one contribution as a ZIP. */
export const downloadArchive = downloadRoute(
  { method: 'GET', url: `${DESK_PATH}/contributions/:id/archive` },
  async ({ context, request, reply }, { admin }) => {
    const { id } = parseRequest(Params, request.params);
    const dossier = await readDossier(admin.client, id);
    const members = await collectMembers(admin.client, dossier, { backend: context.backend(), folder: '' });
    await audit(admin.client, 'archive', { contribution: id, detail: { files: members.files.length } });
    return sendArchive(reply, TEXTS.archive(id), [...members.texts, ...members.files]);
  },
);
