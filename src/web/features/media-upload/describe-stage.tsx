import { useRef, useState, type ReactNode } from 'react';
import { W_QUESTIONS, type WAnswers } from '#web/backend/w-questions.ts';
import { failureReason } from '#web/submission/texts.ts';
import type { ChosenFile } from '#web/submission/use-chosen-files.ts';
import type { BackendStatus } from '#web/backend/status.ts';
import { TrustNote } from '#web/submission/trust-note.tsx';
import { useStep } from '#web/submission/flow.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice, type KeepOnDeviceProps } from '#web/ui/keep-on-device.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { FileSummary } from './file-stage.tsx';
import { KINDS, texts, type MediaKind } from './texts.ts';
import { unanswered } from './draft.ts';

/** Together they stay below the database's ceiling for all five. */
const ANSWER_MAX_LENGTH = 5_000;

type Offer = Pick<KeepOnDeviceProps, 'state' | 'onKeep'>;

type DescribeStageProps = Readonly<{
  kind: MediaKind;
  file: ChosenFile;
  status: BackendStatus;
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
