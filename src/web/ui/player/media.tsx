import { clsx } from 'clsx';
import { type ReactNode, type RefCallback, useCallback, useEffect, useState } from 'react';
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

/** Bars of a waveform. */
export const BARS = 96;
/** Larger files are not loaded as a whole for their waveform: it would cost the listener's network (decision 0265). */
const WAVEFORM_MAX_BYTES = 4 * 1024 * 1024;
/** In Hz. Loudness needs no more, and half an hour stays below 60 MB while it is decoded. */
const SAMPLE_RATE = 8_000;

/** The loudest moment of each bar between 0 and 1, where the loudest of all is 1. Silence is 0 everywhere. */
export function computePeaks(samples: Float32Array, bars = BARS): readonly number[] {
  const peaks = Array.from({ length: bars }, (_, bar) => {
    const end = Math.floor(((bar + 1) * samples.length) / bars);
    let peak = 0;
    for (let at = Math.floor((bar * samples.length) / bars); at < end; at += 1) {
      const level = Math.abs(samples[at] ?? 0);
      if (level > peak) peak = level;
    }
    return peak;
  });
  const loudest = Math.max(...peaks);
  return loudest === 0 ? peaks : peaks.map((peak) => peak / loudest);
}

/** One vertical stroke a bar, in a box of `peaks.length` × 100. */
export function drawWaveform(peaks: readonly number[]): string {
  return peaks
    .map((peak, bar) => {
      const half = Math.max(3, peak * 44);
      return `M${bar + 0.5} ${(50 - half).toFixed(1)}V${(50 + half).toFixed(1)}`;
    })
    .join('');
}

type Peaks = Promise<readonly number[] | undefined>;

const known = new Map<string, Peaks>();

/** Undefined while it is computed, and where the file is too large or cannot be decoded. */
export function usePeaks(src: string | Blob, size: number): readonly number[] | undefined {
  const [peaks, setPeaks] = useState<Readonly<{ src: string | Blob; bars: readonly number[] }>>();
  useEffect(() => {
    if (size > WAVEFORM_MAX_BYTES) return undefined;
    let current = true;
    void rememberPeaks(src).then((bars) => bars !== undefined && current && setPeaks({ src, bars }));
    return () => {
      current = false;
    };
  }, [src, size]);
  return peaks?.src === src ? peaks.bars : undefined;
}

function rememberPeaks(src: string | Blob): Peaks {
  if (typeof src !== 'string') return loadPeaks(src).catch(() => undefined);
  const computed = known.get(src) ?? loadPeaks(src).catch(() => undefined);
  known.set(src, computed);
  return computed;
}

async function loadPeaks(src: string | Blob): Peaks {
  if (typeof OfflineAudioContext === 'undefined') return undefined;
  const content = typeof src === 'string' ? await fetch(src) : src;
  if (content instanceof Response && !content.ok) return undefined;
  const decoded = await new OfflineAudioContext(1, 1, SAMPLE_RATE).decodeAudioData(await content.arrayBuffer());
  return computePeaks(decoded.getChannelData(0));
}
