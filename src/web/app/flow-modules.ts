import { lazy, type ComponentType } from 'react';
import type { Flow } from '#contract/areas.ts';

type Room = () => Promise<{ default: ComponentType }>;

const VOICE_FLOW = {
  'voice-message': () =>
    import('#web/features/voice-message/index.ts').then((room) => ({ default: room.VoiceMessageScreen })),
  'transcript-edit': () =>
    import('#web/features/transcript/index.ts').then((room) => ({ default: room.TranscriptEditScreen })),
  'image-upload-after-voice': () =>
    import('#web/features/image-upload/index.ts').then((room) => ({ default: room.ImageUploadAfterVoiceScreen })),
  'thank-you': () => import('#web/features/thank-you/index.ts').then((room) => ({ default: room.ThankYouScreen })),
} as const satisfies Partial<Record<Flow, Room>>;

const UPLOADS = {
  upload: () =>
    import('#web/features/contributor-upload/index.ts').then((room) => ({ default: room.ContributorUploadScreen })),
  'video-upload': () => import('./media-upload-route.tsx').then((module) => ({ default: module.VideoUploadRoute })),
  'image-upload': () => import('./media-upload-route.tsx').then((module) => ({ default: module.ImageUploadRoute })),
  'document-upload': () =>
    import('#web/features/document-upload/index.ts').then((room) => ({ default: room.DocumentUploadScreen })),
} as const satisfies Partial<Record<Flow, Room>>;

/**
 * Screens of the flows by the index of their feature, each loaded when it is first entered. Interviews have a route
 * part of their own.
 */
export const FLOW_MODULES: Readonly<Record<Exclude<Flow, 'interview' | 'interview-category'>, ComponentType>> = {
  'voice-message': lazy(VOICE_FLOW['voice-message']),
  'transcript-edit': lazy(VOICE_FLOW['transcript-edit']),
  'image-upload-after-voice': lazy(VOICE_FLOW['image-upload-after-voice']),
  'thank-you': lazy(VOICE_FLOW['thank-you']),
  upload: lazy(UPLOADS.upload),
  'video-upload': lazy(UPLOADS['video-upload']),
  'image-upload': lazy(UPLOADS['image-upload']),
  'document-upload': lazy(UPLOADS['document-upload']),
};

/**
 * Whoever has begun a contribution can end it, even if the connection is lost in between: fetches the screens that
 * follow.
 */
export function fetchScreensAhead(flow: Flow): void {
  if (flow in UPLOADS) VOICE_FLOW['thank-you']().catch(() => undefined);
  if (!(flow in VOICE_FLOW) && flow !== 'interview') return;
  for (const room of Object.values(VOICE_FLOW)) room().catch(() => undefined);
}
