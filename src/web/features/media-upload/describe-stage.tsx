import { type ComponentType, type ReactNode, useRef, useState } from 'react';
import { ANSWER_CHARACTERS } from '#contract/limits.ts';
import type { BackendStatus } from '#web/backend/status.ts';
import { W_QUESTIONS, type WAnswers } from '#web/backend/w-questions.ts';
import { useStep } from '#web/submission/flow.ts';
import { failureReason } from '#web/submission/texts.ts';
import { TrustNote } from '#web/submission/trust-note.tsx';
import type { ChosenFile } from '#web/submission/use-chosen-files.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice, type KeepOnDeviceProps } from '#web/ui/keep-on-device.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { PencilLine } from '#web/ui/screen-icons.ts';
import { useToast } from '#web/ui/toast.tsx';
import { FileSummary } from './file-stage.tsx';
import { KINDS, type MediaKind, texts } from './texts.ts';
import { unanswered } from './use-submit-media.ts';

/** The database counts all five together, with what JSON adds to them: the names, and a second character a line end. */
const ANSWER_MAX_LENGTH = Math.floor(ANSWER_CHARACTERS / 6);

type Offer = Pick<KeepOnDeviceProps, 'state' | 'onKeep'>;

type UploadProblemProps = Readonly<{ kind: MediaKind; file: ChosenFile; status: BackendStatus }>;

/** Why the file did not arrive, and whether it could now. */
function UploadProblem({ kind, file, status }: UploadProblemProps): ReactNode {
  return (
    <>
      {file.failure !== undefined && (
        <Notice tone="error" title={KINDS[kind].uploadFailed.title}>
          {failureReason(file.failure)}
        </Notice>
      )}
      {status === 'unavailable' && (
        <Notice tone="caution" live>
          {texts.unavailable}
        </Notice>
      )}
    </>
  );
}

type DescribeStageProps = UploadProblemProps &
  Readonly<{
    answers: WAnswers;
    /** Where keeping it on this device is of use now. */
    keeping: Offer | undefined;
    onAnswer: (answers: WAnswers) => void;
    onBack: () => void;
    onSubmit: () => void;
  }>;

/** Third stage, in writing: the five W-questions. */
export function DescribeStage(props: DescribeStageProps): ReactNode {
  const { kind, file, status, answers, keeping, onAnswer, onBack, onSubmit } = props;
  const toast = useToast();
  const step = useStep('answers');
  const fields = useRef(new Map<string, HTMLTextAreaElement>());
  const [tried, setTried] = useState(false);
  const missing = unanswered(kind, answers);
  const whenComplete = (go: () => void) => {
    setTried(true);
    const [first] = missing;
    if (first === undefined) return go();
    toast({ ...KINDS[kind].incomplete, variant: 'destructive' });
    fields.current.get(first)?.focus();
  };
  return (
    <FlowScreen
      step={step}
      title={texts.describeHeading}
      lead={KINDS[kind].describeLead}
      summary={<FileSummary kind={kind} file={file} />}
      onBack={onBack}
      primary={<Button onClick={() => whenComplete(onSubmit)}>{texts.submit}</Button>}
    >
      <UploadProblem kind={kind} file={file} status={status} />
      {W_QUESTIONS.map((question) => (
        <Field
          key={question}
          {...texts.questions[question]}
          required
          error={tried && missing.includes(question) ? toError(answers[question]) : undefined}
        >
          <TextArea
            ref={(element) => {
              if (element !== null) fields.current.set(question, element);
            }}
            rows={2}
            className="min-h-20!"
            maxLength={ANSWER_MAX_LENGTH}
            value={answers[question]}
            onChange={(event) => onAnswer({ ...answers, [question]: event.target.value })}
          />
        </Field>
      ))}
      <TrustNote />
      {keeping !== undefined && (
        <KeepOnDevice state={keeping.state} onKeep={() => whenComplete(keeping.onKeep)} outboxHref="/ausgangskorb" />
      )}
    </FlowScreen>
  );
}

function toError(answer: string): string {
  return answer.trim() === '' ? texts.fieldMissing : texts.fieldShort;
}

type InterviewStageProps = DescriptionInterviewProps &
  UploadProblemProps &
  Readonly<{
    interview: DescriptionInterview | undefined;
    /** Where keeping it on this device is of use now. */
    keeping: Offer | undefined;
    onBack: () => void;
    onText: () => void;
    onSubmit: () => void;
  }>;

/** Third stage, spoken. §2.9: submit is enabled only once the interview has completed. */
export function InterviewStage(props: InterviewStageProps): ReactNode {
  const { interview: Interview, transcript, file, status, keeping, onBack, onText, onSubmit, ...slot } = props;
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
            <Button variant="secondary" icon={PencilLine} onClick={onText}>
              {texts.toText}
            </Button>
          }
        >
          {texts.interviewComingText}
        </Notice>
      ) : (
        <>
          <UploadProblem kind={slot.kind} file={file} status={status} />
          <Interview {...slot} transcript={transcript} />
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
  /** What was said before, shown again as an ended interview; '' before the first one. */
  transcript: string;
  /** The contribution the interview belongs to, made where there is none yet (§4). */
  ensureInterviewId: () => Promise<string>;
  /** The interview has ended with an answer; submitting is possible from then on. May be called again. */
  onCompleted: (transcript: string) => void;
}>;

export type DescriptionInterview = ComponentType<DescriptionInterviewProps>;
