import { type ReactNode, useState } from 'react';
import { useBackendConfig } from '#web/backend/client.ts';
import { isHeic, getMaxBytes, sizeProblem, getType } from '#web/submission/file-kind.ts';
import { ImageRightsQuestion } from '#web/submission/image-rights.tsx';
import { TrustNote } from '#web/submission/trust-note.tsx';
import { fileTexts, inMegabytes, sizeMessage } from '#web/submission/texts.ts';
import type { ChosenFile, ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useStep } from '#web/submission/flow.ts';
import { Button, IconButton } from '#web/ui/button.tsx';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { X } from '#web/ui/icons.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Player } from '#web/ui/player/player.tsx';
import { Image, Video } from '#web/ui/screen-icons.ts';
import { uiTexts } from '#web/ui/texts.ts';
import { useToast } from '#web/ui/toast.tsx';
import { KINDS, type MediaKind, texts } from './texts.ts';

type FileStageProps = Readonly<{
  kind: MediaKind;
  chosen: ChosenFiles;
  draftFound: boolean;
  onBack: () => void;
  onNext: () => void;
}>;

/** First stage: one file. */
export function FileStage({ kind, chosen, draftFound, onBack, onNext }: FileStageProps): ReactNode {
  const words = KINDS[kind];
  const step = useStep(kind);
  const { limits } = useBackendConfig();
  const { wrongType, take } = useTakeFile(kind, chosen);
  const file = chosen.files[0];
  return (
    <FlowScreen
      step={step}
      title={words.heading}
      lead={words.lead}
      onBack={onBack}
      primary={
        <Button disabled={file === undefined} onClick={onNext}>
          {texts.next}
        </Button>
      }
    >
      <TrustNote />
      {file === undefined ? (
        <Dropzone
          accept={`${kind}/*`}
          multiple={false}
          capture="environment"
          label={words.choose}
          hint={words.hint(getMaxBytes(kind, limits))}
          onFiles={take}
        />
      ) : (
        <FilePreview chosen={file} onRemove={() => chosen.remove(file.key)} />
      )}
      <ImageRightsQuestion chosen={chosen} />
      {wrongType && (
        <Notice tone="caution" live>
          {words.wrongType}
        </Notice>
      )}
      {draftFound && file === undefined && <Notice>{words.chooseAgain}</Notice>}
    </FlowScreen>
  );
}

/** §5: only video/* or image/*, otherwise only a remark appears. Size and HEIC get a message (D19). */
function useTakeFile(kind: MediaKind, chosen: ChosenFiles) {
  const { limits } = useBackendConfig();
  const toast = useToast();
  const [wrongType, setWrongType] = useState(false);
  const take = (files: readonly File[]) => {
    const [file, ...others] = files.filter((one) => isHeic(one) || getType(one).startsWith(`${kind}/`));
    setWrongType(file === undefined);
    if (file === undefined) return;
    if (others.length > 0) return toast({ ...KINDS[kind].tooMany, variant: 'destructive' });
    if (isHeic(file)) return toast({ ...texts.heicTitle, description: fileTexts.heic, variant: 'destructive' });
    const problem = sizeProblem(file, kind, limits);
    if (problem !== undefined) return toast({ ...sizeMessage(problem, limits), variant: 'destructive' });
    chosen.replace([file]);
  };
  return { wrongType, take };
}

/** The chosen picture or video, large enough to see that it is the right one. */
function FilePreview({ chosen, onRemove }: Readonly<{ chosen: ChosenFile; onRemove: () => void }>): ReactNode {
  const { file, preview } = chosen;
  return (
    <figure className="overflow-hidden rounded-card border border-line bg-surface">
      <Picture key={preview} type={file.type} preview={preview} />
      <figcaption className="flex items-center gap-3 py-2 pr-1.5 pl-4">
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium" title={file.name}>
            {file.name}
          </span>
          <span className="tabular block text-sm text-muted">{inMegabytes(file.size, 1)}</span>
        </span>
        <IconButton label={uiTexts.removeFile(file.name)} icon={X} onClick={onRemove} />
      </figcaption>
    </figure>
  );
}

/** Nothing at all where the browser cannot show it: that says nothing about the file. */
function Picture({ type, preview }: Readonly<{ type: string; preview: string | undefined }>): ReactNode {
  const [broken, setBroken] = useState(false);
  if (preview === undefined || broken) return null;
  const look = 'block max-h-80 w-full bg-sunken object-contain';
  if (type.startsWith('video/')) {
    return (
      <div className="p-3 empty:hidden">
        <Player kind="video" src={preview} name={fileTexts.chosenVideo} size={0} optional />
      </div>
    );
  }
  return <img src={preview} alt="" onError={() => setBroken(true)} className={look} />;
}

/** What was chosen, in one line. */
export function FileSummary({ kind, file }: Readonly<{ kind: MediaKind; file: ChosenFile }>): ReactNode {
  const Icon = kind === 'video' ? Video : Image;
  return (
    <p className="flex items-center gap-2">
      <Icon className="size-5 shrink-0" />
      <span className="truncate text-ink" title={file.file.name}>
        {file.file.name}
      </span>
      <span className="tabular shrink-0">{inMegabytes(file.file.size, 1)}</span>
    </p>
  );
}
