import { type ReactNode, useEffect, useRef } from 'react';
import { useBackendLoader } from '#web/backend/client.ts';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { openSending } from '#web/submission/load-sending.ts';
import { numericId } from '#web/submission/local-id.ts';
import { inMegabytes } from '#web/submission/texts.ts';
import { CancelUpload, UploadProgress } from '#web/submission/upload-view.tsx';
import { type ChosenFile, useChosenFiles } from '#web/submission/use-chosen-files.ts';
import type { UploadPhase } from '#web/submission/use-file-upload.ts';
import { FileRow } from '#web/ui/file-row.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { OptionButton } from '#web/ui/option-card.tsx';
import { MessagesSquare, PencilLine } from '#web/ui/screen-icons.ts';
import { DescribeStage, type DescriptionInterview, InterviewStage } from './describe-stage.tsx';
import { FileStage, FileSummary } from './file-stage.tsx';
import { KINDS, type MediaKind, texts } from './texts.ts';
import { trimmed, useMediaDraft, useSubmitMedia } from './use-submit-media.ts';

type MediaUploadProps = Readonly<{ interview?: DescriptionInterview }>;

export function VideoUploadScreen(props: MediaUploadProps): ReactNode {
  return <MediaUploadScreen kind="video" {...props} />;
}

export function ImageUploadScreen(props: MediaUploadProps): ReactNode {
  return <MediaUploadScreen kind="image" {...props} />;
}

type Stage = 'file' | 'choice' | 'text' | 'interview';

const FLOWS = { image: 'image-upload', video: 'video-upload' } as const;

/** Each stage after the first is a history entry, so that the browser's back stays in the flow and keeps the file. */
function useStage(kind: MediaKind, hasFile: boolean) {
  const { state, go, back } = useFlow();
  const named = STAGES.find((stage) => stage === state.stage) ?? 'file';
  // The file itself does not survive a reload; the stage in the address's entry does.
  const lost = named !== 'file' && !hasFile;
  useEffect(() => {
    if (lost) go({ to: FLOWS[kind], state: { ...state, stage: 'file' }, replace: true });
  }, [lost, go, kind, state]);
  return {
    stage: lost ? ('file' as const) : named,
    goToStage: (stage: Stage) => go({ to: FLOWS[kind], state: { ...state, stage } }),
    back,
  };
}

const STAGES: readonly Stage[] = ['file', 'choice', 'text', 'interview'];

/** The description that the contribution to go on with has: its file did not arrive, or another device has begun it. */
function useSavedDescription({ found, goOnWith }: ReturnType<typeof useMediaDraft>): void {
  const { interviewId } = useFlow().state;
  const loadBackend = useBackendLoader();
  const latest = useRef(goOnWith);
  useEffect(() => void (latest.current = goOnWith));
  const id = found ? undefined : numericId(interviewId);
  useEffect(() => {
    if (id === undefined) return;
    const load = async (): Promise<void> => {
      const { client, readDescription } = await openSending(loadBackend, String(id));
      latest.current(await readDescription(client, id));
    };
    // Without it the questions are asked again.
    load().catch((error: unknown) => console.warn('description: not loaded', error instanceof Error ? error.name : ''));
  }, [id, loadBackend]);
}

/** §2.9, §4 'Video and image flow'. 'Zurück' steps back one stage, as the browser's back does. */
function MediaUploadScreen({ kind, interview }: MediaUploadProps & Readonly<{ kind: MediaKind }>): ReactNode {
  const { go } = useFlow();
  const chosen = useChosenFiles(FLOWS[kind]);
  const { stage, goToStage, back } = useStage(kind, chosen.files[0] !== undefined);
  const draft = useMediaDraft(kind, chosen);
  useSavedDescription(draft);
  const media = useSubmitMedia({ kind, chosen, draft });
  const { phase, submit } = media;
  const file = chosen.files[0];

  const offerKeeping = (description: Parameters<typeof submit>[0]) =>
    media.undelivered ? { state: media.keepState, onKeep: () => media.keep(description) } : undefined;

  if (phase.status !== 'idle') return <UploadStage kind={kind} phase={phase} file={file} onCancel={media.cancel} />;
  if (stage === 'file' || file === undefined) {
    return (
      <FileStage
        kind={kind}
        chosen={chosen}
        draftFound={draft.found}
        onBack={() => go({ to: 'home' })}
        onNext={() => goToStage('choice')}
      />
    );
  }
  if (stage === 'choice') return <ChoiceStage kind={kind} file={file} onBack={back} onChoose={goToStage} />;
  if (stage === 'interview') {
    const description = { type: 'interview', read: draft.readTranscript } as const;
    return (
      <InterviewStage
        kind={kind}
        file={file}
        status={media.status}
        interview={interview}
        transcript={draft.transcript}
        ensureInterviewId={media.ensureInterviewId}
        onCompleted={draft.say}
        onBack={back}
        onText={() => go({ to: FLOWS[kind], state: { stage: 'text' }, replace: true })}
        onSubmit={() => void submit(description)}
        keeping={offerKeeping(description)}
      />
    );
  }
  const description = { type: 'text', answers: trimmed(draft.answers) } as const;
  return (
    <DescribeStage
      kind={kind}
      file={file}
      status={media.status}
      answers={draft.answers}
      onAnswer={draft.answer}
      onBack={back}
      onSubmit={() => void submit(description)}
      keeping={offerKeeping(description)}
    />
  );
}

type UploadStageProps = Readonly<{
  kind: MediaKind;
  phase: UploadPhase;
  file: ChosenFile | undefined;
  onCancel: () => void;
}>;

/** While it is being sent, and the moment after. */
function UploadStage({ kind, phase, file, onCancel }: UploadStageProps): ReactNode {
  return (
    <FlowScreen title={KINDS[kind].uploadingTitle} lead={phase.status === 'done' ? undefined : texts.uploadingLead}>
      <UploadProgress phase={phase} />
      {phase.status === 'done' && (
        <Notice tone="good" live>
          {texts.done}
        </Notice>
      )}
      {file !== undefined && (
        <ul aria-label={texts.selected}>
          <FileRow
            name={file.file.name}
            size={inMegabytes(file.file.size, 1)}
            state={file.state === 'uploading' ? 'waiting' : file.state}
            detail={file.state === 'uploading' ? '' : undefined}
            preview={file.file.type.startsWith('image/') ? file.preview : undefined}
          />
        </ul>
      )}
      <CancelUpload phase={phase} onCancel={onCancel} />
    </FlowScreen>
  );
}

const WAYS = [
  { way: 'text', Icon: PencilLine },
  { way: 'interview', Icon: MessagesSquare },
] as const;

type ChoiceStageProps = Readonly<{
  kind: MediaKind;
  file: ChosenFile;
  onBack: () => void;
  onChoose: (stage: Stage) => void;
}>;

/** Second stage: in writing or in a conversation. */
function ChoiceStage({ kind, file, onBack, onChoose }: ChoiceStageProps): ReactNode {
  const step = useStep('description');
  return (
    <FlowScreen
      step={step}
      title={texts.choiceHeading}
      lead={texts.choiceLead}
      summary={<FileSummary kind={kind} file={file} />}
      onBack={onBack}
    >
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-4">
        {WAYS.map(({ way, Icon }) => (
          <li key={way}>
            <OptionButton icon={Icon} {...texts.choice[way]} onClick={() => onChoose(way)} />
          </li>
        ))}
      </ul>
    </FlowScreen>
  );
}
