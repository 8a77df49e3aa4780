import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DESK_PATH } from '#contract/desk-files.ts';
import type { Member } from '../archive/members.ts';
import { sendArchive } from '../archive/send.ts';
import { parcelOf, type Parcel } from '../archive/contribution-members.ts';
import { audit } from '../audit.ts';
import { readDossier } from '../contribution.ts';
import type { Desk } from '../deps.ts';
import { Id, valid } from '../parse.ts';
import { TEXTS } from '../texts.ts';

const Params = z.object({ id: Id });

/** GET /contributions/:id/archive: everything of one contribution as a ZIP. */
export function archive(app: FastifyInstance, { gate, backend }: Desk): void {
  app.get(`${DESK_PATH}/contributions/:id/archive`, { exposeHeadRoute: false }, async (request, reply) => {
    const { admin } = await gate.admitDownload(request);
    const { id } = valid(Params, request.params);
    const dossier = await readDossier(admin.client, id);
    const parcel = await parcelOf(admin.client, dossier, { backend: backend(), folder: '' });
    await audit(admin.client, 'archive', { contribution: id, detail: { files: parcel.files.length } });
    return sendArchive(reply, TEXTS.archive(id), members(parcel));
  });
}

async function* members({ texts, files }: Parcel): AsyncGenerator<Member> {
  yield* texts;
  yield* files;
}
