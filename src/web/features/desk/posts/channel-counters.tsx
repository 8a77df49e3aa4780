import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { countCharacters, listHashtags, splitGraphemes, type Channel } from '#contract/channels.ts';
import { formatNumber } from '#web/ui/format.ts';
import type { DraftContent } from './draft-store.ts';
import { postTexts } from './texts.ts';

const texts = postTexts.counter;

/** Counts a draft as its channel counts it, and says what is too much. */
export function ChannelCounters({
  channel,
  content,
}: Readonly<{ channel: Channel; content: DraftContent }>): ReactNode {
  const characters = countCharacters(channel.id, content.body);
  const hashtags = listHashtags(content.body).length;
  const pictures = content.pictures.filter(({ used }) => used).length;
  const over = characters - channel.characters;
  const { least, most } = channel.pictures;
  return (
    <ul aria-label={texts.label} className="tabular flex flex-wrap gap-x-5 gap-y-1 text-sm">
      <Count wrong={over > 0}>
        {texts.characters(characters, channel.characters)}
        {over > 0 && ` · ${texts.tooLong(over)}`}
      </Count>
      <Count wrong={channel.hashtags !== null && hashtags > channel.hashtags}>
        {texts.hashtags(hashtags, channel.hashtags)}
      </Count>
      <Count wrong={pictures > most || pictures < least}>
        {pictures < least ? texts.picturesMissing(least) : texts.pictures(pictures, most)}
      </Count>
      <span
        aria-hidden
        className="ml-auto hidden h-1.5 w-28 self-center overflow-hidden rounded-full bg-sunken sm:block"
      >
        <span
          className={clsx('block h-full rounded-full', over > 0 ? 'bg-record' : 'bg-accent')}
          style={{ width: `${Math.min(100, (characters / channel.characters) * 100)}%` }}
        />
      </span>
    </ul>
  );
}

function Count({ wrong, children }: Readonly<{ wrong: boolean; children: ReactNode }>): ReactNode {
  return <li className={wrong ? 'font-medium text-record-ink' : 'text-muted'}>{children}</li>;
}

/** The counter of a channel that this version does not know. */
export function PlainCounter({ body }: Readonly<{ body: string }>): ReactNode {
  return <p className="tabular text-sm text-muted">{formatNumber(splitGraphemes(body).length)}</p>;
}
