import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { DESK_PATH } from '#contract/desk-files.ts';
import { DeskPostsSchema } from '#contract/posts.ts';
import { audit } from '../access.ts';
import { collectMembers } from '../archive/members.ts';
import { sendArchive, type Member } from '../archive/pack.ts';
import { readDossier, readFiles, signFiles } from '../contribution.ts';
import { DeskError, getData, Id, parseRequest } from '../error.ts';
import { chooseFileName } from '../file-names.ts';
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

const PostParams = z.object({ id: Id, postId: Id });
type Post = z.infer<typeof DeskPostsSchema>['posts'][number];

/**
 * GET …/posts/:postId/package: what is copied into the channel, with clean copies of the pictures, numbered in their
 * order. None keeps the contributor's name of the file, which may tell who is on it.
 */
export const downloadPostPackage = downloadRoute(
  { method: 'GET', url: `${DESK_PATH}/contributions/:id/posts/:postId/package` },
  async ({ context, request, reply }, { admin }) => {
    const { id, postId } = parseRequest(PostParams, request.params);
    const post = await readPost(admin.client, id, postId);
    const members = await collectPostMembers(admin.client, post, context.backend());
    const files = members.filter(({ kind }) => kind === 'file').length;
    await audit(admin.client, 'archive', { contribution: id, detail: { post: postId, files } });
    return sendArchive(reply, TEXTS.postPackage(post.channel, postId), members);
  },
);

/** Throws DeskError, also for a post of another contribution. */
export async function readPost(client: SupabaseClient, contribution: number, id: number): Promise<Post> {
  const data = getData(await client.rpc('desk_posts', { contribution }));
  const post = DeskPostsSchema.parse(data).posts.find((one) => one.id === id);
  if (post === undefined) throw new DeskError('post_not_found');
  return post;
}

async function collectPostMembers(client: SupabaseClient, post: Post, backend: string): Promise<Member[]> {
  const { body, pictures } = post.current;
  const files = new Map((await readFiles(client, post.contribution)).map((file) => [file.id, file]));
  const used = pictures.flatMap(({ upload, alt, used }) => {
    const file = files.get(upload);
    return used && file !== undefined ? [{ ...file, originalName: undefined, alt }] : [];
  });
  const named = used.map((one, at) => ({ ...one, name: chooseFileName(one, String(at + 1).padStart(2, '0')) }));
  const urls = await signFiles(client, backend, named);
  const alternatives = named.map(({ name, alt }) => TEXTS.alternativeText(name, alt));
  return [
    { kind: 'text', name: TEXTS.postText, content: [body] },
    ...(named.length === 0 ? [] : [{ kind: 'text' as const, name: TEXTS.alternativeTexts, content: alternatives }]),
    ...named.map(({ path, name, type }) => ({
      kind: 'file' as const,
      name,
      type,
      url: urls.get(path),
      clean: true,
    })),
  ];
}
