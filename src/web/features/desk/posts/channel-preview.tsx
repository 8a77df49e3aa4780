import { clsx } from 'clsx';
import { useState, type ReactNode } from 'react';
import { findChannel, splitAtFold, type Channel } from '#contract/channels.ts';
import { CircleUser, Inbox } from '#web/ui/icons.tsx';
import { Image } from '#web/ui/screen-icons.ts';
import type { DraftContent } from './draft-store.ts';
import { postTexts } from './texts.ts';

const texts = postTexts.preview;

type PreviewProps = Readonly<{
  channel: string;
  content: DraftContent;
  /** Addresses of pictures by upload. */
  urls: ReadonlyMap<number, string>;
}>;

/** Draws a draft the way its channel would. */
export function ChannelPreview({ channel: id, content, urls }: PreviewProps): ReactNode {
  const channel = findChannel(id);
  const pictures = content.pictures.filter(({ used }) => used);
  const needsPicture = (channel?.pictures.least ?? 0) > pictures.length;
  const shown = (
    <Pictures
      square={id === 'instagram'}
      pictures={pictures.flatMap(({ upload, alt }) => {
        const url = urls.get(upload);
        return url === undefined ? [] : [{ url, alt }];
      })}
    />
  );
  const pictureFirst = id === 'instagram' || id === 'website';
  return (
    <article className="mx-auto w-full max-w-[34rem] overflow-hidden rounded-card border border-line bg-surface">
      {id !== 'website' && <Head newsletter={id === 'newsletter'} />}
      {pictureFirst && shown}
      {needsPicture && (
        <p className="flex aspect-square max-h-56 w-full items-center justify-center gap-2 bg-sunken text-sm text-muted">
          <Image aria-hidden className="size-5" />
          {texts.noPicture}
        </p>
      )}
      <div className="px-4 py-3">
        <Body key={id} channel={channel} body={content.body} />
      </div>
      {!pictureFirst && shown}
    </article>
  );
}

function Head({ newsletter }: Readonly<{ newsletter: boolean }>): ReactNode {
  const Icon = newsletter ? Inbox : CircleUser;
  return (
    <div className="flex items-center gap-3 px-4 pt-3">
      <span className="flex size-10 items-center justify-center rounded-full bg-accent-wash text-accent-ink">
        <Icon aria-hidden className="size-5.5" />
      </span>
      <span className="leading-tight">
        <span className="block font-semibold">{texts.account}</span>
        <span className="block text-sm text-muted">{texts.now}</span>
      </span>
    </div>
  );
}

function Body({ channel, body }: Readonly<{ channel: Channel | undefined; body: string }>): ReactNode {
  const [open, setOpen] = useState(false);
  if (body.trim() === '') return <p className="text-muted">{texts.empty}</p>;
  const { shown, hidden } = channel === undefined ? { shown: body, hidden: '' } : splitAtFold(channel.id, body);
  const folded = hidden !== '';
  return (
    <div className="leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
      <Marked text={open ? body : shown.trimEnd()} />
      {folded && !open && '… '}
      {folded && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="inline-flex min-h-7 items-center rounded-sm px-1 font-medium text-muted hover:text-ink pointer-coarse:min-h-11"
        >
          {open ? texts.less : texts.more}
        </button>
      )}
    </div>
  );
}

const LINK_OR_TAG = /(https?:\/\/\S+|(?<![\p{L}\p{N}_&/#])#(?=\p{N}*[\p{L}_])[\p{L}\p{M}\p{N}_]+)/gu;

/** Hashtags and links look like links; they lead nowhere here. */
function Marked({ text }: Readonly<{ text: string }>): ReactNode {
  return text.split(LINK_OR_TAG).map((part, at) =>
    at % 2 === 1 ? (
      <span key={at} className="font-medium text-accent-ink">
        {part}
      </span>
    ) : (
      part
    ),
  );
}

type PicturesProps = Readonly<{ square: boolean; pictures: readonly Readonly<{ url: string; alt: string }>[] }>;

const MOST_SHOWN = 4;

function Pictures({ square, pictures }: PicturesProps): ReactNode {
  const shown = pictures.slice(0, MOST_SHOWN);
  if (shown.length === 0) return null;
  return (
    <div className={clsx('mt-1 grid gap-0.5', shown.length > 1 && 'grid-cols-2')}>
      {shown.map(({ url, alt }, at) => (
        <img
          key={url}
          src={url}
          alt={alt}
          className={clsx(
            'w-full bg-sunken object-cover',
            square ? 'aspect-square' : 'aspect-video',
            shown.length === 3 && at === 0 && 'col-span-2',
          )}
        />
      ))}
    </div>
  );
}
