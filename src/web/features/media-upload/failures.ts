import { BackendError, type BackendErrorKind } from '#web/backend/errors.ts';
import { fileTexts } from '#web/submission/file-texts.ts';
import { limitMessage, limitMessageOf } from '#web/submission/limit-texts.ts';
import type { ShowToast } from '#web/ui/toast.tsx';
import { DescriptionFailed } from './description.ts';
import { KINDS, type MediaKind } from './texts.ts';

type Toast = Parameters<ShowToast>[0];

/** §8: why the file did not arrive. */
export function failureToast(kind: MediaKind, failed: readonly BackendErrorKind[]): Toast {
  if (failed.includes('no-bucket')) return fileTexts.bucketFailed;
  if (failed.includes('refused')) return fileTexts.accessRestricted;
  return limitMessageOf(failed) ?? KINDS[kind].uploadFailed;
}

export function isUnreachable(error: unknown): boolean {
  const cause = error instanceof DescriptionFailed ? error.cause : error;
  return cause instanceof BackendError && cause.kind === 'unreachable';
}

/** §8: what went wrong before the file was sent. */
export function problemToast(error: unknown, kind: MediaKind): Toast {
  const described = error instanceof DescriptionFailed;
  const cause = described ? error.cause : error;
  console.error('media: not submitted', cause instanceof BackendError ? cause.kind : '');
  return limitMessage(cause) ?? (described ? KINDS[kind].descriptionFailed : KINDS[kind].uploadFailed);
}
