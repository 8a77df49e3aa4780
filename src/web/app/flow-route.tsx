import { type ReactNode, useMemo } from 'react';
import * as z from 'zod/mini';
import type { Area, Flow } from '#contract/areas.ts';
import { BackendProvider } from '#web/backend/client.ts';
import { useConnectedBackend } from '#web/backend/session.ts';
import { findWay, type FlowContext, FlowProvider, type FlowState, type FlowTarget } from '#web/submission/flow.ts';
import { useNavigate } from '#web/ui/link.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { useHistory, usePlace } from './place.ts';

type FlowRouteProps = Readonly<{ area: Area; flow: Flow; children: ReactNode }>;

/** What a flow's screen stands on: the client, the area, the state handed over, the ways on. */
export function FlowRoute({ area, flow: screen, children }: FlowRouteProps): ReactNode {
  const backend = useConnectedBackend();
  const navigate = useNavigate();
  const history = useHistory();
  const { state } = usePlace();
  const flow = useMemo<FlowContext>(() => {
    const given = getFlowState(state);
    const way = findWay(screen, given);
    return {
      area,
      state: given,
      way,
      href: (target) => flowPath(area, target),
      back: () => history.back(),
      go: (target) =>
        navigate(flowPath(area, target), {
          replace: target.replace ?? false,
          // The way on, not a way out.
          ignoreBlocker: target.to !== 'home',
          state: { ...('state' in target ? target.state : {}), ...(way === undefined ? {} : { way }) },
        }),
    };
  }, [area, screen, history, navigate, state]);
  return (
    <BackendProvider value={backend}>
      <FlowProvider value={flow}>{children}</FlowProvider>
      <LeaveGuard />
    </BackendProvider>
  );
}

/** Where a target lies for a screen working in this area. The two old names are D3's to forward. */
export function flowPath(area: Area, target: FlowTarget): string {
  switch (target.to) {
    case 'home':
      return area.home;
    case 'modern-interview':
      return '/modern-interview';
    case 'interview':
      return `${area.base}/interview/${target.topic}`;
    default:
      return `${area.base}/${target.to}`;
  }
}

const text = z.optional(z.string());
const flag = z.optional(z.boolean());
const FlowStateSchema = z.object({
  transcript: text,
  interviewId: text,
  audioUrl: text,
  uploadSuccess: flag,
  hasImages: flag,
  files: z.optional(z.array(z.object({ path: z.string(), type: z.string() }))),
  stage: text,
  way: text,
});

/** State of a history entry as a flow may rely on it: empty where there is none or it was hand-made. */
export function getFlowState(state: unknown): FlowState {
  const parsed = FlowStateSchema.safeParse(state);
  if (!parsed.success) return {};
  return Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined));
}
