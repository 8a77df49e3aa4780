import { type ComponentProps, type ReactNode, useEffect, useMemo, useState } from 'react';
import { type Area, type Flow, type Topic, TOPICS } from '#contract/areas.ts';
import { getDataOwner } from '#web/backend/browser-storage.ts';
import { BackendProvider } from '#web/backend/client.ts';
import { laterPart } from '#web/backend/later-part.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { isLike } from '#web/backend/stored-session.ts';
import { findWay, type FlowContext, FlowProvider, type FlowState, type FlowTarget } from '#web/submission/flow.ts';
import { loadSendingAhead } from '#web/submission/load-sending.ts';
import { getShownWork, getUnfinished } from '#web/submission/use-running-work.ts';
import { afterScreen } from '#web/ui/after-load.ts';
import { useNavigate } from '#web/ui/link.tsx';
import type { LeaveDialog } from './leave-dialog.tsx';
import { useHistory, usePlace } from './place.ts';
import { isFlow, matchRoute } from './routes.ts';
import { appTexts } from './texts.ts';

type FlowRouteProps = Readonly<{ area: Area; flow: Flow; topic: Topic | undefined; children: ReactNode }>;

/** What a flow's screen stands on: the way to the client, the area, the state handed over, the ways on. */
export function FlowRoute({ area, flow: screen, topic: named, children }: FlowRouteProps): ReactNode {
  const backend = useSessionStore();
  const navigate = useNavigate();
  const history = useHistory();
  const { state } = usePlace();
  useEffect(() => void afterScreen().then(loadSendingAhead), []);
  const flow = useMemo<FlowContext>(() => {
    const given = getFlowState(state, getDataOwner());
    const way = findWay(screen, given);
    const topic = way === 'interview' ? (named ?? TOPICS.find((known) => known === given.topic)) : undefined;
    return {
      area,
      state: given,
      way,
      topic,
      href: (target) => flowPath(area, target),
      back: () => history.back(),
      go: (target) =>
        navigate(flowPath(area, target), {
          replace: target.replace ?? false,
          // The way on, not a way out.
          ignoreBlocker: target.to !== 'home',
          state: { ...('state' in target ? target.state : {}), ...(way && { way }), ...(topic && { topic }) },
        }),
    };
  }, [area, screen, named, history, navigate, state]);
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

const EXAMPLE: Required<FlowState> = {
  transcript: '',
  interviewId: '',
  audioUrl: '',
  uploadSuccess: true,
  sent: true,
  hasImages: true,
  files: [],
  stage: '',
  way: '',
  topic: '',
};

/** State of a history entry as a flow may rely on it: none of another person than `owner`, none of the wrong shape. */
export function getFlowState(state: unknown, owner: string | null): FlowState {
  const entry: Readonly<Record<string, unknown>> = { ...Object(state) };
  const known = Object.entries(entry).filter(([name, value]) => name in EXAMPLE && value !== undefined);
  const given = Object.fromEntries(known);
  return (entry['of'] ?? owner) === owner && isFlowState(given) ? given : {};
}

function isFlowState(given: Readonly<Record<string, unknown>>): given is FlowState {
  const { files = [], ...others } = given;
  const example = new Map<string, unknown>(Object.entries(EXAMPLE));
  const fits = Object.entries(others).every(([name, value]) => typeof value === typeof example.get(name));
  return fits && Array.isArray(files) && files.every((file) => isLike(file, { path: '', type: '' }));
}

type Question = ComponentProps<typeof LeaveDialog> & Readonly<{ Dialog: typeof LeaveDialog }>;

/** After the first screen, which does without it. */
const loadDialog = laterPart('leave-dialog', () => import('./leave-dialog.tsx').then((module) => module.LeaveDialog));

/**
 * Asks before running work is left by link, 'Zurück' or the browser, and before an unfinished contribution is left for
 * a screen outside of the flows. A flow's own way on asks nothing; a logout is never held up.
 */
function LeaveGuard(): ReactNode {
  const history = useHistory();
  const signedIn = useSession().status === 'signed-in';
  const [question, setQuestion] = useState<Question>();
  useEffect(() => void afterScreen().then(() => loadDialog().catch(() => undefined)), []);
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: false,
        blockerFn: async ({ nextLocation: { pathname } }) => {
          const left = isFlow(matchRoute(pathname)?.entry.screen) ? undefined : getUnfinished();
          const about = getShownWork() ?? (left === 'contribution' ? (signedIn ? 'unfinished' : 'guest') : left);
          if (about === undefined || pathname === '/login') return false;
          const Dialog = await loadDialog().catch(() => undefined);
          if (Dialog === undefined) return !window.confirm(appTexts.leaving);
          return new Promise((answer) => setQuestion({ about, answer, Dialog }));
        },
      }),
    [history, signedIn],
  );
  if (question === undefined) return null;
  const { Dialog, about } = question;
  const answer = (stays: boolean): void => {
    question.answer(stays);
    setQuestion(undefined);
  };
  return <Dialog about={about} answer={answer} />;
}
