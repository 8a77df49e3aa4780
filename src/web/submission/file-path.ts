import { randomHex } from './local-id.ts';

const RANDOM_BYTES = 16;
const EXTENSION_OF_TYPE: Readonly<Record<string, string>> = {
  'audio/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
};

/** §3, D11: `{interviewId}/{timestamp}_{random}.{extension}`, 128 random bits. `now` in ms. */
export function mediaPath(interviewId: string, file: Readonly<{ name?: string; type: string }>, now: number): string {
  return `${interviewId}/${now}_${randomHex(RANDOM_BYTES)}.${extensionOf(file)}`;
}

/** §3: `{interviewId}/transcript_{timestamp}.txt`. */
export function transcriptPath(interviewId: string, now: number): string {
  return `${interviewId}/transcript_${now}.txt`;
}

/** Only what a storage key may hold (supabase-contract §3.1). */
function extensionOf(file: Readonly<{ name?: string; type: string }>): string {
  const fromName = /\.([A-Za-z0-9]{1,8})$/.exec(file.name ?? '')?.[1];
  const type = file.type.split(';')[0] ?? '';
  return fromName?.toLowerCase() ?? EXTENSION_OF_TYPE[type] ?? 'bin';
}
