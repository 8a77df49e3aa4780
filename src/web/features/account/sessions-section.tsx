import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { OwnSession } from '#contract/accounts.ts';
import { useBackend } from '#web/backend/client.ts';
import { endOtherSessions, endSession, ownSessions, signOutEverywhere } from '#web/backend/own-account.ts';
import { Button, IconButton } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { LogOut } from '#web/ui/icons.tsx';
import { Laptop, Smartphone } from '#web/ui/screen-icons.ts';
import {
  DoneNotice,
  ErrorNotice,
  LoadFailedNotice,
  SESSIONS_KEY,
  useAccountAction,
  type DoneMessage,
} from './account-action.tsx';
import { accountTexts } from './texts.ts';

const texts = accountTexts.sessions;

export function SessionsSection(): ReactNode {
  const backend = useBackend();
  // A backend without a list answers undefined, which a query does not take.
  const queryFn = async () => (await ownSessions(backend)) ?? null;
  const { data: sessions, isPending, refetch } = useQuery({ queryKey: SESSIONS_KEY, queryFn });
  const { busy, error, run } = useAccountAction();
  const [said, setSaid] = useState<DoneMessage>();
  const [confirming, setConfirming] = useState(false);
  const after = (done: boolean, message: DoneMessage): void => {
    setSaid(done ? message : undefined);
    if (done) void refetch();
  };
  const end = async (id: string) => after(await run(() => endSession(backend, id)), texts.ended);
  const others = async () => after(await run(endOtherSessions), texts.othersDone);
  const everywhere = (): void => {
    setConfirming(false);
    void run(signOutEverywhere);
  };
  return (
    <SectionCard title={texts.title}>
      {isPending && <output>{texts.loading}</output>}
      {!isPending && sessions === undefined && <LoadFailedNotice onRetry={() => void refetch()} />}
      {sessions === null && <p className="text-muted">{texts.unsupported}</p>}
      {sessions && <SessionList sessions={sessions} onEnd={(id) => void end(id)} />}
      <div className="mt-5 flex flex-col gap-4">
        <ErrorNotice error={error} />
        <DoneNotice message={said} />
        <div className="flex flex-wrap gap-2">
          {(sessions?.length ?? 0) > 1 && (
            <Button variant="secondary" busy={busy} onClick={() => void others()}>
              {texts.others}
            </Button>
          )}
          <Button variant="secondary" icon={LogOut} onClick={() => setConfirming(true)}>
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
        const used = texts.lastUsed(formatMoment(session.last_used_at));
        const Icon = /iPhone|iPad|Android/.test(device) ? Smartphone : Laptop;
        return (
          <li key={session.id} className="flex items-center gap-3 py-3">
            <Icon className="size-5 shrink-0 text-muted" />
            <div className="min-w-0 flex-1">
              <p className="font-medium break-words">{device}</p>
              <p className="text-sm text-muted tabular-nums">{session.is_current ? texts.current : used}</p>
              {session.address !== null && (
                <p className="text-sm break-all text-muted tabular-nums">{session.address}</p>
              )}
            </div>
            {!session.is_current && (
              <IconButton
                label={`${texts.endNamed(device)}, ${used}`}
                icon={LogOut}
                onClick={() => onEnd(session.id)}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** In matching order: Edge and Opera also contain 'Chrome', and all contain 'Safari'. */
const BROWSERS = [
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /Safari\//],
] as const;

const SYSTEMS = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Linux', /Linux/],
] as const;

type Names = readonly (readonly [string, RegExp])[];

export function describeDevice(userAgent: string | null): string {
  const first = (names: Names): string | undefined => names.find(([, mark]) => mark.test(userAgent ?? ''))?.[0];
  const browser = first(BROWSERS);
  const system = first(SYSTEMS);
  if (browser !== undefined && system !== undefined) return accountTexts.sessions.browserOn(browser, system);
  return browser ?? system ?? accountTexts.sessions.unknownDevice;
}
