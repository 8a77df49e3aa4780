import { clsx } from 'clsx';
import { Fragment, useState, type ReactNode } from 'react';
import { findChannel, splitAtFold, splitMarks, type Channel } from '#contract/channels.ts';
import { previewTexts } from './preview-texts.ts';

export type PreviewPicture = Readonly<{
  /** undefined while the address is requested, or where there is none. */
  url: string | undefined;
  type: string;
  alt: string;
}>;

export type PostPreviewProps = Readonly<{
  /** One that this version does not know is drawn as an article. */
  channel: string;
  body: string;
  pictures: readonly PreviewPicture[];
  /** The account that publishes. */
  author: string;
}>;

/** A post as its channel draws it: fold, marks, and where the pictures stand. Likes and the like are left out. */
export function PostPreview({ channel: id, body, pictures, author }: PostPreviewProps): ReactNode {
  const channel = findChannel(id);
  if (channel === undefined || channel.id === 'website' || channel.id === 'newsletter') {
    return (
      <article className="flex flex-col">
        <Pictures pictures={pictures} />
        <Article body={body} />
      </article>
    );
  }
  if (channel.id === 'instagram') {
    return (
      <article className="mx-auto flex w-full max-w-120 flex-col pt-4">
        <Author name={author} className="px-5 pb-3" small />
        {pictures.length < channel.pictures.least ? <NoPicture /> : <Carousel pictures={pictures} />}
        <PostText channel={channel} body={body} author={author} className="px-5 pt-3" />
      </article>
    );
  }
  if (channel.id === 'x') {
    return (
      <article className="flex gap-3 px-5 pt-5 sm:px-6">
        <Portrait name={author} className="size-10" />
        <div className="flex min-w-0 flex-1 flex-col gap-2">
          <p className="leading-snug font-semibold">{author}</p>
          <PostText channel={channel} body={body} />
          <Pictures pictures={pictures} className="overflow-hidden rounded-card border border-line" />
        </div>
      </article>
    );
  }
  return (
    <article className="flex flex-col gap-3 pt-5">
      <Author name={author} className="px-5 sm:px-6" />
      <PostText channel={channel} body={body} className="px-5 sm:px-6" />
      <Pictures pictures={pictures} />
    </article>
  );
}

function Author({ name, className, small = false }: Readonly<{ name: string; className: string; small?: boolean }>) {
  return (
    <p className={clsx('flex items-center gap-3', className)}>
      <Portrait name={name} className={small ? 'size-8 rounded-full text-sm' : 'size-11'} />
      <span className="min-w-0">
        <span className="block leading-snug font-semibold wrap-anywhere">{name}</span>
        {!small && <span className="block text-sm text-muted">{previewTexts.now}</span>}
      </span>
    </p>
  );
}

function Portrait({ name, className }: Readonly<{ name: string; className: string }>): ReactNode {
  return (
    <span
      aria-hidden
      className={clsx(
        'flex shrink-0 items-center justify-center rounded-full bg-ink font-semibold text-paper',
        className,
      )}
    >
      {name.trim().charAt(0).toUpperCase()}
    </span>
  );
}

type PostTextProps = Readonly<{ channel: Channel; body: string; author?: string; className?: string }>;

function PostText({ channel, body, author, className }: PostTextProps): ReactNode {
  const [open, setOpen] = useState(false);
  const { shown, hidden } = splitAtFold(channel.id, body);
  const folded = hidden !== '';
  const start = folded && !open ? shown.trimEnd() : body;
  if (body.trim() === '') return <p className={clsx('text-muted', className)}>{previewTexts.empty}</p>;
  return (
    <div className={className}>
      <p className="whitespace-pre-wrap wrap-anywhere">
        {author !== undefined && <span className="mr-1.5 font-semibold">{author}</span>}
        <Marked text={start} />
        {start !== body && <span className="print:hidden">…</span>}
        <span className="hidden print:inline">{body.slice(start.length)}</span>
      </p>
      {folded && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="touch -mb-2 inline-flex items-center rounded-sm font-medium text-muted hover:text-ink"
        >
          {open ? previewTexts.less : previewTexts.more}
        </button>
      )}
    </div>
  );
}

/** Longer than a headline would be. */
const HEADLINE_MAX = 120;

/** A short first paragraph is the headline. */
function Article({ body }: Readonly<{ body: string }>): ReactNode {
  const [, first = '', rest = ''] = /^\s*([^\n]+)\n\s*\n([^]*)$/.exec(body) ?? [];
  const headline = first !== '' && first.length <= HEADLINE_MAX;
  if (body.trim() === '') return <p className="px-5 pt-5 text-muted sm:px-6">{previewTexts.empty}</p>;
  return (
    <div className="flex flex-col gap-3 px-5 pt-5 text-lg leading-relaxed sm:px-6">
      {headline && <p className="text-xl leading-snug font-semibold wrap-anywhere">{first}</p>}
      <p className="whitespace-pre-wrap wrap-anywhere">
        <Marked text={headline ? rest : body} />
      </p>
    </div>
  );
}

function Marked({ text }: Readonly<{ text: string }>): ReactNode {
  return splitMarks(text).map(({ kind, text: part }, index) => {
    if (kind === 'text') return <Fragment key={index}>{part}</Fragment>;
    if (kind === 'hashtag' || !/^https?:/i.test(part))
      return (
        <span key={index} className="text-accent-ink">
          {part}
        </span>
      );
    return (
      <a
        key={index}
        href={part}
        target="_blank"
        rel="noopener noreferrer"
        className="text-accent-ink underline underline-offset-2"
      >
        {part}
      </a>
    );
  });
}

type PicturesProps = Readonly<{ pictures: readonly PreviewPicture[]; className?: string }>;

/** All of them, also where the channel would hide some behind a number. */
function Pictures({ pictures, className }: PicturesProps): ReactNode {
  if (pictures.length === 0) return null;
  const odd = pictures.length % 2 === 1;
  return (
    <div className={clsx('grid gap-0.5', pictures.length > 1 && 'grid-cols-2', className)}>
      {pictures.map((picture, index) => (
        <Picture
          key={index}
          picture={picture}
          className={clsx(
            pictures.length === 1
              ? 'aspect-[1.91] max-h-120'
              : odd && index === 0
                ? 'col-span-2 aspect-[2]'
                : 'aspect-square',
          )}
        />
      ))}
    </div>
  );
}

function NoPicture(): ReactNode {
  return (
    <p className="flex aspect-square max-h-56 w-full items-center justify-center bg-sunken p-4 text-sm text-muted">
      {previewTexts.noPicture}
    </p>
  );
}

/** Square pictures, one beside the other. */
function Carousel({ pictures }: PicturesProps): ReactNode {
  if (pictures.length < 2)
    return pictures.map((picture, index) => <Picture key={index} picture={picture} className="aspect-square" />);
  return (
    <section
      aria-label={previewTexts.pictures(pictures.length)}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
      tabIndex={0}
      className="flex snap-x snap-mandatory overflow-x-auto"
    >
      {pictures.map((picture, index) => (
        <div key={index} className="relative w-full shrink-0 snap-center">
          <Picture picture={picture} className="aspect-square" />
          <span
            aria-hidden
            className="tabular absolute top-3 right-3 rounded-full bg-ink px-2.5 py-0.5 text-sm font-medium text-paper"
          >
            {index + 1}/{pictures.length}
          </span>
        </div>
      ))}
    </section>
  );
}

function Picture({ picture, className }: Readonly<{ picture: PreviewPicture; className: string }>): ReactNode {
  const { url, type, alt } = picture;
  const [failed, setFailed] = useState<string>();
  if (url === undefined || failed === url)
    return (
      <div
        className={clsx(
          'flex w-full items-center justify-center bg-sunken p-4 text-center text-sm text-muted',
          className,
        )}
      >
        <span className="line-clamp-4 max-w-measure">{alt}</span>
      </div>
    );
  const fail = (): void => setFailed(url);
  if (type.startsWith('video/'))
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption -- captions of contributors' videos do not exist
      <video
        controls
        preload="metadata"
        src={url}
        aria-label={alt}
        onError={fail}
        className={clsx('w-full bg-sunken', className)}
      />
    );
  return <img src={url} alt={alt} onError={fail} className={clsx('w-full bg-sunken object-cover', className)} />;
}
