import type { FastifyReply } from 'fastify';
import { attachment } from '../file-names.ts';
import type { Member } from './members.ts';
import { pack } from './pack.ts';

/** Sends an archive under that name while it is made. */
export function sendArchive(reply: FastifyReply, name: string, members: AsyncIterable<Member>): FastifyReply {
  return reply
    .headers({
      'content-type': 'application/zip',
      'content-disposition': attachment(name),
      // A proxy would put gigabytes on its disk, and the one who waits would see nothing of them.
      'x-accel-buffering': 'no',
    })
    .send(pack(members));
}
