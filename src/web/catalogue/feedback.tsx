import { type ReactNode, useState } from 'react';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { BusyMark, Button } from '#web/ui/button.tsx';
import { Check } from '#web/ui/icons.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Notice, StepMessage, type ToastVariant, type Tone, useInlineMessage } from '#web/ui/notice.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { Circle } from '#web/ui/screen-icons.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { Part, Row, Specimen } from './specimen.tsx';
import { samples } from './texts.ts';

const NOTICES: readonly Tone[] = ['info', 'good', 'caution', 'error'];
const BADGES: readonly BadgeTone[] = ['accent', 'caution', 'neutral', 'good', 'record'];
const TOASTS: readonly ToastVariant[] = ['default', 'good', 'caution', 'destructive'];
const KEEPING = ['offered', 'saving', 'kept', 'full', 'failed'] as const;
const nothing = (): void => undefined;

export function Feedback(): ReactNode {
  const toast = useToast();
  return (
    <>
      <Part id="notice" title="Notice" lead="A remark that stays where it is, with an action where there is one.">
        {NOTICES.map((tone) => (
          <Specimen key={tone} name={tone}>
            <Notice
              tone={tone}
              title={samples.noticeTitle}
              action={tone === 'error' ? <Button variant="secondary">{samples.error.action}</Button> : undefined}
            >
              {samples.notice}
            </Notice>
          </Specimen>
        ))}
      </Part>
      <Part id="toast" title="Toast and badge" lead="A toast tells what has happened; a badge is a word about it.">
        <Specimen name="Toast: press to see it">
          <Row>
            {TOASTS.map((variant) => (
              <Button key={variant} variant="secondary" onClick={() => toast({ ...samples.toast, variant })}>
                {variant}
              </Button>
            ))}
          </Row>
        </Specimen>
        <Specimen name="StepMessage: the same within a flow, where it stays">
          <MessageInPlace />
        </Specimen>
        <Specimen name="useInlineMessage: beside what was pressed, until something else is done there">
          <MessageWherePressed />
        </Specimen>
        <Specimen name="Badge">
          <Row>
            {BADGES.map((tone, index) => (
              <Badge key={tone} tone={tone} icon={tone === 'good' ? Check : Circle}>
                {samples.states[index]}
              </Badge>
            ))}
          </Row>
        </Specimen>
      </Part>
      <Part id="progress" title="Progress" lead="Measured where bytes are counted, else moving. Always with words.">
        <Specimen name="0 %">
          <ProgressBar label={samples.uploading} percent={0} />
        </Specimen>
        <Specimen name="45 %">
          <ProgressBar label={samples.uploading} percent={45} />
        </Specimen>
        <Specimen name="100 %, good">
          <ProgressBar label={samples.uploading} percent={100} tone="good" />
        </Specimen>
        <Specimen name="60 %, record">
          <ProgressBar label={samples.duration} percent={60} tone="record" />
        </Specimen>
        <Specimen name="unknown">
          <ProgressBar label={samples.uploading} />
        </Specimen>
        <Specimen name="BusyMark">
          <Row>
            <BusyMark />
            {samples.sending}
          </Row>
        </Specimen>
        <Specimen name="Skeleton" wide>
          <div className="flex items-center gap-4">
            <Skeleton className="size-11" />
            <div className="flex flex-1 flex-col gap-2">
              <Skeleton className="h-4 w-1/3" />
              <Skeleton />
            </div>
          </div>
        </Specimen>
      </Part>
      <Part id="keep-on-device" title="Keep on device" lead="Offered where a contribution cannot be sent.">
        {KEEPING.map((state) => (
          <Specimen key={state} name={state}>
            <KeepOnDevice state={state} onKeep={nothing} outboxHref="#keep-on-device" />
          </Specimen>
        ))}
        <Specimen name="unreadable">
          <KeepOnDevice state={{ unreadable: samples.file }} onKeep={nothing} outboxHref="#keep-on-device" />
        </Specimen>
      </Part>
    </>
  );
}

/** Shown at a press: it brings itself into sight. */
function MessageInPlace(): ReactNode {
  const [shown, setShown] = useState(false);
  if (shown) return <StepMessage message={{ id: 1, ...samples.toast }} />;
  return (
    <Button variant="secondary" onClick={() => setShown(true)}>
      StepMessage
    </Button>
  );
}

function MessageWherePressed(): ReactNode {
  const [message, show] = useInlineMessage();
  return (
    <div className="grid justify-items-start gap-3">
      <Button variant="secondary" onClick={() => show({ ...samples.toast, variant: 'good' })}>
        {samples.send}
      </Button>
      {message}
    </div>
  );
}
