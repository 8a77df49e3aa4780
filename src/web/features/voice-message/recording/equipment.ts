import { chooseFormat, type RecordingFormat } from './choose-format.ts';
import { RecorderError } from './media-session.ts';
import type { RecorderDeps } from './recorder-deps.ts';

export type Equipment = Readonly<{
  media: NonNullable<RecorderDeps['media']>;
  Native: NonNullable<RecorderDeps['Recorder']>;
  format: RecordingFormat;
}>;

/** Throws RecorderError 'unsupported' where this browser cannot record. */
export function equipmentOf({ media, Recorder: Native }: RecorderDeps): Equipment {
  if (media === undefined || Native === undefined) throw new RecorderError('unsupported');
  const format = chooseFormat((mime) => Native.isTypeSupported(mime));
  if (format === undefined) throw new RecorderError('unsupported');
  return { media, Native, format };
}
