import type { ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import type { Post } from '#contract/posts.ts';
import { Notice } from '#web/ui/notice.tsx';
import { postTexts } from './texts.ts';

type UncertainPicturesProps = Readonly<{ posts: readonly Post[]; files: DeskContribution['fileList'] }>;

/** Before a post leaves the team: for how many of its pictures it is unknown who can be recognised. */
export function UncertainPictures({ posts, files }: UncertainPicturesProps): ReactNode {
  const used = new Set(
    posts.flatMap(({ current }) => current.pictures.filter((one) => one.used).map((one) => one.upload)),
  );
  const pictures = files.filter(({ id }) => used.has(id));
  const unknown = pictures.filter(({ imageRights }) => imageRights === 'unknown').length;
  const notAsked = pictures.filter(({ imageRights }) => imageRights === null).length;
  if (unknown + notAsked === 0) return null;
  return (
    <Notice tone="caution" title={postTexts.uncertain.title(unknown, notAsked)}>
      {postTexts.uncertain.text}
    </Notice>
  );
}
