import { type ComponentType, lazy, type ReactNode, useEffect } from 'react';
import type { Area, Flow } from '#contract/areas.ts';
import type { Topic } from '#contract/topics.ts';

const FlowRoute = lazy(() => import('./flow-route.tsx').then((module) => ({ default: module.FlowRoute })));
const InterviewCategory = lazy(() =>
  import('#web/features/interview-category/index.tsx').then((feature) => ({
    default: feature.InterviewCategoryScreen,
  })),
);
const Interview = lazy(() =>
  import('#web/features/interview/index.ts').then((feature) => ({ default: feature.InterviewScreen })),
);

type FlowScreenProps = Readonly<{ area: Area; flow: Flow; topic: Topic | undefined; association: string }>;

/** One screen of a flow, in its area. */
export function FlowScreenOf({ area, flow, topic, association }: FlowScreenProps): ReactNode {
  return (
    <FlowRoute area={area} flow={flow}>
      <Inner flow={flow} topic={topic} association={association} />
    </FlowRoute>
  );
}

function Inner({ flow, topic, association }: Omit<FlowScreenProps, 'area'>): ReactNode {
  useEffect(() => fetchScreensAhead(flow), [flow]);
  if (flow === 'interview-category') return <InterviewCategory />;
  if (flow === 'interview') return topic && <Interview topic={topic} association={association} />;
  const Screen = FLOW_MODULES[flow];
  return <Screen />;
}

type LoadScreen = () => Promise<{ default: ComponentType }>;

const VOICE_FLOW = {
  'voice-message': () =>
    import('#web/features/voice-message/index.ts').then((feature) => ({ default: feature.VoiceMessageScreen })),
  'transcript-edit': () =>
    import('#web/features/transcript/index.ts').then((feature) => ({ default: feature.TranscriptEditScreen })),
  'image-upload-after-voice': () =>
    import('#web/features/image-upload/index.ts').then((feature) => ({ default: feature.ImageUploadAfterVoiceScreen })),
  'thank-you': () =>
    import('#web/features/thank-you/index.ts').then((feature) => ({ default: feature.ThankYouScreen })),
} as const satisfies Partial<Record<Flow, LoadScreen>>;

const UPLOADS = {
  upload: () =>
    import('#web/features/contributor-upload/index.ts').then((feature) => ({
      default: feature.ContributorUploadScreen,
    })),
  'video-upload': () => import('./media-upload-route.tsx').then((module) => ({ default: module.VideoUploadRoute })),
  'image-upload': () => import('./media-upload-route.tsx').then((module) => ({ default: module.ImageUploadRoute })),
  'document-upload': () =>
    import('#web/features/document-upload/index.ts').then((feature) => ({ default: feature.DocumentUploadScreen })),
} as const satisfies Partial<Record<Flow, LoadScreen>>;

/**
 * Screens of the flows by the index of their feature, each loaded when it is first entered. Interviews have a route
 * part of their own.
 */
const FLOW_MODULES: Readonly<Record<Exclude<Flow, 'interview' | 'interview-category'>, ComponentType>> = {
  'voice-message': lazy(VOICE_FLOW['voice-message']),
  'transcript-edit': lazy(VOICE_FLOW['transcript-edit']),
  'image-upload-after-voice': lazy(VOICE_FLOW['image-upload-after-voice']),
  'thank-you': lazy(VOICE_FLOW['thank-you']),
  upload: lazy(UPLOADS.upload),
  'video-upload': lazy(UPLOADS['video-upload']),
  'image-upload': lazy(UPLOADS['image-upload']),
  'document-upload': lazy(UPLOADS['document-upload']),
};

/** Fetches the screens that follow, so that a contribution can be ended even if the connection is lost. */
function fetchScreensAhead(flow: Flow): void {
  if (flow in UPLOADS) VOICE_FLOW['thank-you']().catch(() => undefined);
  if (!(flow in VOICE_FLOW) && flow !== 'interview') return;
  for (const load of Object.values(VOICE_FLOW)) load().catch(() => undefined);
}
