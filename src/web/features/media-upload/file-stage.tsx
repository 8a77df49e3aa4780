import { useState, type ReactNode } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { isHeic, maxBytesOf, sizeProblem, typeOf } from '#web/submission/file-kind.ts';
import { fileTexts, sizeMessage } from '#web/submission/texts.ts';
import type { ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { Button } from '#web/ui/button.tsx';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { FilePreview } from './file-preview.tsx';
import { KINDS, texts, type MediaKind } from './texts.ts';

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
  const { limits } = useBackend().config;
  const { wrongType, take } = useTakeFile(kind, chosen);
  const file = chosen.files[0];
  return (
    <FlowScreen
      step={{ current: 1, total: 3, name: words.step }}
      title={words.heading}
      lead={words.lead}
      onBack={onBack}
      primary={
        <Button disabled={file === undefined} onClick={onNext}>
          {texts.next}
        </Button>
      }
    >
      {file === undefined ? (
        <Dropzone
          accept={`${kind}/*`}
          multiple={false}
          capture="environment"
          label={words.choose}
          hint={words.hint(maxBytesOf(kind, limits))}
          onFiles={take}
        />
      ) : (
        <FilePreview chosen={file} onRemove={() => chosen.remove(file.key)} />
      )}
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
  const { limits } = useBackend().config;
  const toast = useToast();
  const [wrongType, setWrongType] = useState(false);
  const take = (files: readonly File[]) => {
    const file = files.find((candidate) => isHeic(candidate) || typeOf(candidate).startsWith(`${kind}/`));
    setWrongType(file === undefined);
    if (file === undefined) return;
    if (isHeic(file)) return toast({ ...texts.heicTitle, description: fileTexts.heic, variant: 'destructive' });
    const problem = sizeProblem(file, kind, limits);
    if (problem !== undefined) return toast({ ...sizeMessage(problem, limits), variant: 'destructive' });
    chosen.replace([file]);
  };
  return { wrongType, take };
}
