import path from 'node:path';
import { fileTypeFromBuffer } from 'file-type';
import { TRANSCRIPTION_AUDIO_TYPES } from '#contract/limits.ts';
import { SpeechError } from './errors.ts';

export type AudioType = (typeof TRANSCRIPTION_AUDIO_TYPES)[number];

/** This many bytes of the beginning tell the type of a file. */
export const SNIFF_BYTES = 4_100;

/** File extensions each detected content may have, the usual one first. */
const EXTENSIONS: Readonly<Record<string, readonly AudioType[]>> = {
  flac: ['flac'],
  m4a: ['m4a', 'mp4'],
  mp4: ['mp4', 'm4a'],
  mp3: ['mp3', 'mpga', 'mpeg'],
  mpg: ['mpeg'],
  ogg: ['ogg', 'oga'],
  oga: ['oga', 'ogg'],
  opus: ['ogg', 'oga'],
  wav: ['wav'],
  webm: ['webm'],
};

/**
 * Detects the type of a recording by its bytes and its name (§9 'Accepted audio types'). Both must be accepted; where
 * they disagree the bytes win, because services trust the name. Throws SpeechError 'unsupported_audio'.
 */
export async function detectAudioType(filename: string, head: Uint8Array): Promise<AudioType> {
  const extension = path.extname(filename).slice(1).toLowerCase();
  const named = TRANSCRIPTION_AUDIO_TYPES.find((type) => type === extension);
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const extensions = EXTENSIONS[found?.ext ?? ''];
  const usual = extensions?.[0];
  if (named === undefined || extensions === undefined || usual === undefined)
    throw new SpeechError('unsupported_audio');
  return extensions.includes(named) ? named : usual;
}

export const MIME_TYPES: Readonly<Record<AudioType, string>> = {
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  mp4: 'audio/mp4',
  mpeg: 'audio/mpeg',
  mpga: 'audio/mpeg',
  oga: 'audio/ogg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  webm: 'audio/webm',
};
