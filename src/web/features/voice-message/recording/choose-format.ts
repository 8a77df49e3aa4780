import { RECORDING_FORMATS } from '#contract/limits.ts';

export type RecordingExtension = (typeof RECORDING_FORMATS)[number];
export type RecordingFormat = Readonly<{ mime: string; extension: RecordingExtension }>;

/**
 * Opus where the container can say so: the same speech in a third of the bytes of what some browsers take by default.
 */
const MIMES: Readonly<Record<RecordingExtension, readonly string[]>> = {
  webm: ['audio/webm;codecs=opus', 'audio/webm'],
  ogg: ['audio/ogg;codecs=opus', 'audio/ogg'],
  mp4: ['audio/mp4;codecs=mp4a.40.2', 'audio/mp4'],
  mp3: ['audio/mp3'],
  mpeg: ['audio/mpeg'],
  wav: ['audio/wav'],
};

/** §9 'Recording formats tried in order'. Undefined where the browser can write none of them. */
export function chooseFormat(isTypeSupported: (mime: string) => boolean): RecordingFormat | undefined {
  for (const extension of RECORDING_FORMATS) {
    const mime = MIMES[extension].find((candidate) => isTypeSupported(candidate));
    if (mime !== undefined) return { mime, extension };
  }
  return undefined;
}

/** What the browser says it writes counts for more than what it was asked for. */
export function extensionOf(mime: string): RecordingExtension | undefined {
  const subtype = /^(?:audio|video)\/([a-z0-9-]+)/i.exec(mime)?.[1]?.toLowerCase().replace(/^x-/, '');
  return RECORDING_FORMATS.find((extension) => extension === subtype);
}
