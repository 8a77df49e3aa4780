import { PencilLine, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { useInSight } from '#web/ui/use-in-sight.ts';
import type { TalkFault } from './talk/fault.ts';
import { mainButton } from './talk/state.ts';
import { FAULT_TEXTS, texts } from './texts.ts';
import type { InterviewHandle } from './use-interview.ts';

/** §4 error: the specified sentence, what is behind it, and every way on. What was said is still there. */
export function ConnectionNotice({
  handle,
  fault,
}: Readonly<{ handle: InterviewHandle; fault: TalkFault }>): ReactNode {
  const { interview, talk, dialogue } = handle;
  const way = talk.status === 'error' ? talk.way : 'voice';
  const box = useInSight();
  const kept = dialogue.transcript !== '';
  const broken = fault !== 'interrupted';
  const actions = (
    <>
      {kept && (
        <Button
          icon={<RotateCw aria-hidden className="size-5" />}
          onClick={() => void interview.start(way, { goesOn: true })}
        >
          {texts.resume}
        </Button>
      )}
      <Button variant={kept ? 'secondary' : 'primary'} onClick={() => void interview.start(way)}>
        {mainButton(talk).label}
      </Button>
      {way === 'voice' && (
        <Button
          variant="quiet"
          icon={<PencilLine aria-hidden className="size-5" />}
          onClick={() => void interview.start('typing', { goesOn: kept })}
        >
          {texts.typing}
        </Button>
      )}
    </>
  );
  return (
    <div ref={box}>
      <Notice tone={broken ? 'error' : 'info'} title={broken ? texts.error : texts.interrupted} live action={actions}>
        <p>{FAULT_TEXTS[fault]}</p>
        {kept && <p className="mt-1 text-muted">{texts.kept}</p>}
      </Notice>
    </div>
  );
}
