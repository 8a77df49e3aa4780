import type { Area } from '#contract/areas.ts';
import type { StoredFile } from '#web/backend/media.ts';
import type { FlowState } from '#web/submission/flow.ts';

export type UploadEnd = Readonly<{
  interviewId: string | undefined;
  files: readonly StoredFile[];
  /** False after skipping, and where the files stayed in this browser. */
  uploaded: boolean;
}>;

/** §2.8: `{interviewId, uploadSuccess}`; in the test area `{hasImages, files}`. */
export function afterUpload(area: Area, { interviewId, files, uploaded }: UploadEnd): FlowState {
  if (area.variant === 'test') return { hasImages: files.length > 0, files };
  return { ...(interviewId === undefined ? {} : { interviewId }), uploadSuccess: uploaded };
}
