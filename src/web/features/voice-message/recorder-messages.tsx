import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { useInSight } from '#web/ui/use-in-sight.ts';
import { speechTexts } from '../../speech/texts.ts';
import { getMessage, RECORDING_TEXTS } from './recording/texts.ts';
import type { RecorderHandle } from './recording/use-recorder.ts';
import type { RecorderNotice } from './recording/snapshot.ts';
import { texts } from './texts.ts';

/** What the recorder reports (§8), until it reports something else. The stage itself says that it began and ended. */
export function RecorderMessage({ notice }: Readonly<{ notice: RecorderNotice | undefined }>): ReactNode {
  if (notice === undefined || notice.type === 'started') return null;
  if (notice.type === 'stopped' && !notice.automatic) return null;
  const { title, description, destructive } = getMessage(notice);
  return (
    <Shown key={title + (description ?? '')}>
      <Notice tone={destructive ? 'error' : 'info'} title={title} live>
        {description}
        {notice.type === 'error' && notice.code === 'permission' && !notice.kept && <MicrophoneHelp />}
      </Notice>
    </Shown>
  );
}

/** Brings what appears into sight. */
function Shown({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  return <div ref={useInSight()}>{children}</div>;
}

type RecoveryCardProps = Pick<RecorderHandle, 'recovered' | 'restore' | 'discardRecovered'>;

/** After a crash, a closed page or a way back: the newest recording left on this device. */
export function RecoveryCard({ recovered, restore, discardRecovered }: RecoveryCardProps): ReactNode {
  const [newest] = recovered;
  if (newest === undefined) return null;
  const when = new Date(newest.startedAt).toLocaleString('de-DE', { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Notice
      title={RECORDING_TEXTS.recoveredTitle}
      live
      action={
        <>
          <Button variant="secondary" onClick={() => restore(newest.id)}>
            {texts.restore}
          </Button>
          <Button variant="quiet" onClick={() => discardRecovered(newest.id)}>
            {texts.discard}
          </Button>
        </>
      }
    >
      <p>{RECORDING_TEXTS.recoveredText}</p>
      <p className="tabular mt-1 text-sm text-muted">{texts.recoveredAt(when, minutesAndSeconds(newest.seconds))}</p>
    </Notice>
  );
}

type BrowserName = keyof typeof speechTexts.allowMicrophone;

/** Steps to allow the microphone in this browser, after it was refused once: it does not ask again by itself. */
function MicrophoneHelp(): ReactNode {
  return (
    <>
      <p className="mt-3 font-medium">{speechTexts.allowTitle}</p>
      <ol className="mt-1 list-decimal pl-5">
        {speechTexts.allowMicrophone[nameBrowser(navigator)].map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="mt-2 text-sm text-muted">{speechTexts.allowOnDevice}</p>
    </>
  );
}

/** Every browser on an iPhone has Safari's engine, and Chrome's word stands in the names of most others. */
export function nameBrowser({
  userAgent,
  maxTouchPoints,
}: Readonly<{ userAgent: string; maxTouchPoints: number }>): BrowserName {
  const isIos = /iPad|iPhone|iPod/.test(userAgent) || (userAgent.includes('Macintosh') && maxTouchPoints > 1);
  if (isIos) return /CriOS|FxiOS|EdgiOS/.test(userAgent) ? 'iosOther' : 'iosSafari';
  if (userAgent.includes('Android')) return userAgent.includes('Firefox') ? 'androidFirefox' : 'android';
  if (userAgent.includes('Firefox')) return 'firefox';
  return /Chrome|Chromium/.test(userAgent) ? 'chrome' : 'safari';
}
