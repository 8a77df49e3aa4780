import { lazy, useEffect, type ReactNode } from 'react';
import type { Area, Flow } from '#contract/areas.ts';
import type { Topic } from '#contract/topics.ts';
import { FLOW_MODULES, fetchScreensAhead } from './flow-modules.ts';

const FlowRoute = lazy(() => import('./flow-route.tsx').then((module) => ({ default: module.FlowRoute })));
const InterviewCategory = lazy(() =>
  import('#web/features/interview-category/index.ts').then((room) => ({ default: room.InterviewCategoryScreen })),
);
const Interview = lazy(() =>
  import('#web/features/interview/index.ts').then((room) => ({ default: room.InterviewScreen })),
);

type FlowScreenProps = Readonly<{ area: Area; flow: Flow; topic: Topic | undefined; association: string }>;

/** One screen of a flow, in its area. */
export function FlowScreenOf({ area, flow, topic, association }: FlowScreenProps): ReactNode {
  return (
    <FlowRoute area={area}>
      <Inner flow={flow} topic={topic} association={association} />
    </FlowRoute>
  );
}

function Inner({ flow, topic, association }: Omit<FlowScreenProps, 'area'>): ReactNode {
  useEffect(() => fetchScreensAhead(flow), [flow]);
  if (flow === 'interview-category') return <InterviewCategory />;
  if (flow === 'interview') return topic && <Interview topic={topic} association={association} />;
  const Room = FLOW_MODULES[flow];
  return <Room />;
}
