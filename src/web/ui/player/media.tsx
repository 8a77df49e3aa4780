import { clsx } from 'clsx';
import { useCallback, type ReactNode, type RefCallback } from 'react';
import type { SpokenSegment } from '#contract/spoken.ts';
import { playerTexts } from './texts.ts';
import type { PlayerControl } from './use-player.ts';

type MediaProps = Readonly<{
  kind: 'audio' | 'video';
  src: string | Blob;
  control: PlayerControl;
  sentences: readonly SpokenSegment[];
}>;

/** The browser's element, without its controls. */
export function Media({ kind, src, control, sentences }: MediaProps): ReactNode {
  const captions = useCaptions(sentences);
  const attributes = {
    ref: control.attach,
    // A Blob's address is set by usePlayer.
    src: typeof src === 'string' ? src : undefined,
    preload: 'metadata',
    ...control.listeners,
  } as const;
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- what is said stands beside it as text
  if (kind === 'audio') return <audio {...attributes} />;
  return (
    // The button below does the same for keyboards.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/media-has-caption
    <video
      {...attributes}
      playsInline
      onClick={control.toggle}
      className={clsx(
        'max-h-[26rem] w-full cursor-pointer rounded-control bg-sunken',
        control.state.phase === 'broken' && 'hidden',
      )}
    >
      {sentences.length > 0 && <track ref={captions} kind="captions" srcLang="de" label={playerTexts.captions} />}
    </video>
  );
}

/** Gives a track the captions made of sentences. */
function useCaptions(sentences: readonly SpokenSegment[]): RefCallback<HTMLTrackElement> {
  return useCallback(
    (track: HTMLTrackElement) => {
      track.src = URL.createObjectURL(new Blob([formatCaptions(sentences)], { type: 'text/vtt' }));
      return () => URL.revokeObjectURL(track.src);
    },
    [sentences],
  );
}

/** Seconds that the last sentence is shown. */
const LAST_S = 8;

/** WebVTT in which each sentence is shown until the next one begins. */
export function formatCaptions(sentences: readonly SpokenSegment[]): string {
  const cues = sentences.map(({ start, text }, index) => {
    const end = sentences[index + 1]?.start ?? start + LAST_S;
    // '-->' and '<' would end a cue's text or begin a tag.
    const plain = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(/\s+/g, ' ');
    return `${formatTime(start)} --> ${formatTime(end)}\n${plain}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

function formatTime(seconds: number): string {
  return new Date(Math.round(seconds * 1_000)).toISOString().slice(11, 23);
}
