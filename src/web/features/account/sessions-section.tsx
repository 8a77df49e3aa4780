import { LogOut } from '#web/ui/icons.tsx';
import { Laptop, Smartphone } from '#web/ui/screen-icons.ts';
import { useState, type ReactNode } from 'react';
import type { OwnSession } from '#contract/own-sessions.ts';
import { endOtherSessions, endSession, ownSessions, signOutEverywhere } from '#web/backend/own-account.ts';
import { Button, IconButton } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { useToast, type ShowToast } from '#web/ui/toast.tsx';
import { describeDevice } from './device.ts';
import { formatMoment } from './moments.ts';
import { ErrorNotice, LoadFailedNotice } from './notices.tsx';
import { accountTexts } from './texts.ts';
import { useAction } from './use-action.ts';
import { useLoaded } from './use-loaded.ts';

const texts = accountTexts.sessions;

export function SessionsSection(): ReactNode {
  const { state, reload } = useLoaded(ownSessions);
  const { busy, error, run } = useAction();
  const toast = useToast();
  const [confirming, setConfirming] = useState(false);
  const sessions = state.status === 'ready' ? state.value : undefined;
  const after = (done: unknown, message: Parameters<ShowToast>[0]): void => {
    if (done === undefined) return;
    toast({ ...message, variant: 'good' });
    reload();
  };
  const end = async (id: string) => after(await run((backend) => endSession(backend, id)), texts.ended);
  const others = async () => after(await run(endOtherSessions), texts.othersDone);
  const everywhere = (): void => {
    setConfirming(false);
    void run(signOutEverywhere);
  };
  const isListed = sessions !== undefined;
  return (
    <SectionCard title={texts.title}>
      {state.status === 'loading' && <output>{texts.loading}</output>}
      {state.status === 'failed' && <LoadFailedNotice onRetry={reload} />}
      {state.status === 'ready' && !isListed && <p className="text-muted">{texts.unsupported}</p>}
      {isListed && <SessionList sessions={sessions} onEnd={(id) => void end(id)} />}
      <div className="mt-5 flex flex-col gap-4">
        <ErrorNotice error={error} />
        <div className="flex flex-wrap gap-2">
          {isListed && sessions.length > 1 && (
            <Button variant="secondary" busy={busy} onClick={() => void others()}>
              {texts.others}
            </Button>
          )}
          <Button
            variant="secondary"
            icon={<LogOut aria-hidden className="size-5" />}
            onClick={() => setConfirming(true)}
          >
            {texts.everywhere}
          </Button>
        </div>
      </div>
      <ConfirmDialog
        open={confirming}
        title={texts.everywhereTitle}
        description={texts.everywhereText}
        confirmLabel={texts.everywhere}
        tone="danger"
        onConfirm={everywhere}
        onCancel={() => setConfirming(false)}
      />
    </SectionCard>
  );
}

type SessionListProps = Readonly<{ sessions: readonly OwnSession[]; onEnd: (id: string) => void }>;

function SessionList({ sessions, onEnd }: SessionListProps): ReactNode {
  return (
    <ul className="divide-y divide-line border-y border-line">
      {sessions.map((session) => {
        const device = describeDevice(session.user_agent);
        const Icon = /iPhone|iPad|Android/.test(device) ? Smartphone : Laptop;
        return (
          <li key={session.id} className="flex items-center gap-3 py-3">
            <Icon aria-hidden className="size-5 shrink-0 text-muted" />
            <div className="min-w-0 flex-1">
              <p className="font-medium break-words">{device}</p>
              <p className="text-sm text-muted tabular-nums">
                {session.is_current ? texts.current : texts.lastUsed(formatMoment(session.last_used_at))}
              </p>
              {session.address !== null && (
                <p className="text-sm break-all text-muted tabular-nums">{session.address}</p>
              )}
            </div>
            {!session.is_current && (
              <IconButton
                label={texts.endNamed(device)}
                icon={<LogOut aria-hidden className="size-5" />}
                onClick={() => onEnd(session.id)}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}
