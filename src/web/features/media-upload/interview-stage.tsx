import type { ComponentType, ReactNode } from 'react';
import { useStep } from '#web/submission/flow.ts';
import { Button } from '#web/ui/button.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice, type KeepOnDeviceProps } from '#web/ui/keep-on-device.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { PencilLine } from '#web/ui/screen-icons.ts';
import { type MediaKind, texts } from './texts.ts';

type InterviewStageProps = DescriptionInterviewProps &
  Readonly<{
    interview: DescriptionInterview | undefined;
    transcript: string;
    /** Where keeping it on this device is of use now. */
    keeping: Pick<KeepOnDeviceProps, 'state' | 'onKeep'> | undefined;
    onBack: () => void;
    onText: () => void;
    onSubmit: () => void;
  }>;

/** Third stage, spoken. §2.9: submit is enabled only once the interview has completed. */
export function InterviewStage(props: InterviewStageProps): ReactNode {
  const { interview: Interview, transcript, keeping, onBack, onText, onSubmit, ...slot } = props;
  const step = useStep('answers');
  const complete = transcript.trim() !== '';
  return (
    <FlowScreen
      step={step}
      title={texts.interviewHeading}
      lead={texts.interviewLead}
      onBack={onBack}
      primary={
        Interview === undefined ? undefined : (
          <Button disabled={!complete} onClick={onSubmit}>
            {texts.submit}
          </Button>
        )
      }
    >
      {Interview === undefined ? (
        <Notice
          title={texts.interviewComing}
          action={
            <Button variant="secondary" icon={<PencilLine aria-hidden className="size-5" />} onClick={onText}>
              {texts.toText}
            </Button>
          }
        >
          {texts.interviewComingText}
        </Notice>
      ) : (
        <>
          <Interview {...slot} />
          {!complete && <p className="text-center text-muted">{texts.interviewOpen}</p>}
          {complete && keeping !== undefined && <KeepOnDevice {...keeping} outboxHref="/ausgangskorb" />}
        </>
      )}
    </FlowScreen>
  );
}

/** §2.9: the voice interview in the place of the text form, a feature of its own that the application plugs in. */
type DescriptionInterviewProps = Readonly<{
  kind: MediaKind;
  /** The contribution the interview belongs to, made where there is none yet (§4). */
  ensureInterviewId: () => Promise<string>;
  /** The interview has ended with an answer; submitting is possible from then on. May be called again. */
  onCompleted: (transcript: string) => void;
}>;

export type DescriptionInterview = ComponentType<DescriptionInterviewProps>;
