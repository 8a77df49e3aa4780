import { useMemo, type ReactNode } from 'react';
import type { Area } from '#contract/areas.ts';
import { BackendProvider } from '#web/backend/client.ts';
import { useConnectedBackend } from '#web/backend/session.ts';
import { FlowProvider, type FlowContext } from '#web/submission/flow.ts';
import { useNavigate } from '#web/ui/link.tsx';
import { flowPath } from './flow-path.ts';
import { flowStateOf } from './flow-state.ts';
import { usePlace } from './place.ts';

/** What a flow's screen stands on: the client, the area, the state handed over, the ways on. */
export function FlowRoute({ area, children }: Readonly<{ area: Area; children: ReactNode }>): ReactNode {
  const backend = useConnectedBackend();
  const navigate = useNavigate();
  const history = usePlace().state;
  const flow = useMemo<FlowContext>(
    () => ({
      area,
      state: flowStateOf(history),
      href: (target) => flowPath(area, target),
      go: (target) =>
        navigate(flowPath(area, target), {
          replace: target.replace ?? false,
          state: 'state' in target ? { ...target.state } : {},
        }),
    }),
    [area, history, navigate],
  );
  return (
    <BackendProvider value={backend}>
      <FlowProvider value={flow}>{children}</FlowProvider>
    </BackendProvider>
  );
}
