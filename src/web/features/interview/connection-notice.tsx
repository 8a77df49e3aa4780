import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { RotateCw } from '#web/ui/icons.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { PencilLine } from '#web/ui/screen-icons.ts';
import { useInSight } from '#web/ui/use-in-view.ts';
import { hasAnswers } from './conversation/answers.ts';
import type { InterviewErrorCode } from './conversation/errors.ts';
import { getMainButton } from './conversation/state.ts';
import { ERROR_TEXTS, texts } from './texts.ts';
import type { InterviewHandle } from './use-interview.ts';

/** The error state of §4: its sentence, the reason, and the ways to continue. */
export function ConnectionNotice({
  handle,
  code,
}: Readonly<{ handle: InterviewHandle; code: InterviewErrorCode }>): ReactNode {
  const { interview, conversation, dialogue, answers } = handle;
  const way = conversation.status === 'error' ? conversation.way : 'voice';
  const box = useInSight();
  const kept = dialogue.transcript !== '';
  const broken = code !== 'interrupted';
  const actions = (
    <>
      {kept && (
        <Button icon={RotateCw} onClick={() => void interview.start(way, { resume: true })}>
          {texts.resume}
        </Button>
      )}
      <Button variant={kept ? 'secondary' : 'primary'} onClick={() => void interview.start(way)}>
        {getMainButton(conversation).label}
      </Button>
      {way === 'voice' && (
        <Button variant="quiet" icon={PencilLine} onClick={() => void interview.start('typing', { resume: kept })}>
          {texts.typing}
        </Button>
      )}
    </>
  );
  return (
    <div ref={box}>
      <Notice tone={broken ? 'error' : 'info'} title={broken ? texts.error : texts.interrupted} live action={actions}>
        <p>{ERROR_TEXTS[code]}</p>
        {kept && <p className="mt-1 text-muted">{texts.kept}</p>}
        {hasAnswers(answers) && <p className="mt-1">{texts.unsent.notice}</p>}
      </Notice>
    </div>
  );
}
