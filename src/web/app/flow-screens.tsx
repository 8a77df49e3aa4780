import { type ReactNode, useEffect } from 'react';
import { type Area, AREAS, type Flow, type Topic } from '#contract/areas.ts';
import { countClearings } from '#web/backend/browser-storage.ts';
import { laterPart } from '#web/backend/later-part.ts';
import { afterScreen } from '#web/ui/after-load.ts';
import { lazyWithFetch, type Prefetchable } from './lazy-parts.tsx';

const FlowRoute = lazyWithFetch(() => import('./flow-route.tsx').then((module) => module.FlowRoute));
const InterviewCategory = lazyWithFetch(() =>
  import('#web/features/interview-category/index.tsx').then((feature) => feature.InterviewCategoryScreen),
);
const Interview = lazyWithFetch(() =>
  import('#web/features/interview/index.tsx').then((feature) => feature.InterviewScreen),
);

type FlowScreenProps = Readonly<{ area: Area; flow: Flow; topic: Topic | undefined; association: string }>;

/** One screen of a flow, in its area; for each person another one. The shell draws it again with every session. */
export function FlowScreenOf({ area, flow, topic, association }: FlowScreenProps): ReactNode {
  return (
    <FlowRoute key={countClearings()} area={area} flow={flow} topic={topic}>
      <Inner flow={flow} topic={topic} association={association} />
    </FlowRoute>
  );
}

function Inner({ flow, topic, association }: Omit<FlowScreenProps, 'area'>): ReactNode {
  useEffect(() => void fetchScreensAhead(flow), [flow]);
  if (flow === 'interview-category') return <InterviewCategory />;
  if (flow === 'interview') return topic && <Interview topic={topic} association={association} />;
  const Screen = FLOW_MODULES[flow];
  return <Screen />;
}

/** What follows is asked for again where it could not be fetched: a contribution has been begun. */
const VOICE_FLOW = {
  'voice-message': lazyWithFetch(() =>
    import('#web/features/voice-message/index.ts').then((feature) => feature.VoiceMessageScreen),
  ),
  'transcript-edit': lazyWithFetch(
    laterPart('transcript-edit', () =>
      import('#web/features/transcript/index.tsx').then((feature) => feature.TranscriptEditScreen),
    ),
  ),
  'image-upload-after-voice': lazyWithFetch(
    laterPart('image-upload-after-voice', () =>
      import('#web/features/image-upload/index.tsx').then((feature) => feature.ImageUploadAfterVoiceScreen),
    ),
  ),
  'thank-you': lazyWithFetch(
    laterPart('thank-you', () => import('#web/features/thank-you/index.tsx').then((feature) => feature.ThankYouScreen)),
  ),
} as const;

const UPLOADS = {
  upload: lazyWithFetch(() =>
    import('#web/features/contributor-upload/index.tsx').then((feature) => feature.ContributorUploadScreen),
  ),
  'video-upload': lazyWithFetch(() => import('./media-upload-route.tsx').then((module) => module.VideoUploadRoute)),
  'image-upload': lazyWithFetch(() => import('./media-upload-route.tsx').then((module) => module.ImageUploadRoute)),
  'document-upload': lazyWithFetch(() =>
    import('#web/features/document-upload/index.tsx').then((feature) => feature.DocumentUploadScreen),
  ),
} as const;

/** Each loaded when it is first entered, or ahead of that. Interviews have a route part of their own. */
const FLOW_MODULES = { ...VOICE_FLOW, ...UPLOADS } as const;

const ALL: Readonly<Record<Flow, Pick<Prefetchable<never>, 'fetch'>>> = {
  ...FLOW_MODULES,
  'interview-category': InterviewCategory,
  interview: Interview,
};

/** Fetches the screen of a flow that is about to be shown, and what it stands on. Never fails. */
export async function fetchFlowAhead(screen: string): Promise<void> {
  const flow = AREAS.flatMap(({ flows }) => flows).find((name) => name === screen);
  if (flow !== undefined) await Promise.all([FlowRoute.fetch(), ALL[flow].fetch()]);
}

/**
 * Fetches the screens that follow, so that a contribution can be ended even if the connection is lost. This one comes
 * first.
 */
async function fetchScreensAhead(flow: Flow): Promise<void> {
  await afterScreen();
  if (flow in UPLOADS) void VOICE_FLOW['thank-you'].fetch();
  if (!(flow in VOICE_FLOW) && flow !== 'interview') return;
  // One after another: what is pressed meanwhile is answered between them.
  for (const { fetch } of Object.values(VOICE_FLOW)) await fetch();
}
