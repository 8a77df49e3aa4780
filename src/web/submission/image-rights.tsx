import { type ReactNode, useRef } from 'react';
import { findImageRights, IMAGE_RIGHTS_WORDS, type ImageRights } from '#contract/media-uploads.ts';
import { useBackendLoader } from '#web/backend/client.ts';
import { Field, Select } from '#web/ui/field.tsx';
import { ChevronDown } from '#web/ui/icons.tsx';
import { useClearMessage, useToast } from '#web/ui/toast.tsx';
import { loadSending } from './load-sending.ts';
import { imageRightsTexts as texts } from './texts.ts';
import type { ImageRightsSaver } from './save-image-rights.ts';
import type { ChosenFiles } from './use-chosen-files.ts';

type ImageRightsQuestionProps = Readonly<{ chosen: ChosenFiles; disabled?: boolean }>;

/** Asks who can be recognised: once for all pictures and films, and for each. Never keeps anybody from handing in. */
export function ImageRightsQuestion({ chosen, disabled = false }: ImageRightsQuestionProps): ReactNode {
  const answer = useAnswer(chosen);
  const asked = chosen.files.filter(({ imageRights }) => imageRights !== undefined);
  const [first] = asked;
  if (first === undefined) return null;
  const common = asked.every(({ imageRights }) => imageRights === first.imageRights) ? first.imageRights : undefined;
  return (
    <div className="flex flex-col gap-2">
      <Field label={asked.length === 1 ? texts.question : texts.questionAll(asked.length)} hint={texts.hint}>
        <RightsSelect value={common} disabled={disabled} onChange={(rights) => answer(asked, rights)} />
      </Field>
      {asked.length > 1 && (
        <details className="group rounded-control border border-line px-3">
          <summary className="touch flex cursor-pointer items-center gap-2 font-medium">
            <span className="min-w-0 flex-1">{texts.each}</span>
            <ChevronDown className="size-4.5 shrink-0 transition-transform group-open:rotate-180" />
          </summary>
          <div className="flex flex-col gap-4 pt-1 pb-4">
            {asked.map((file) => (
              <Field key={file.key} label={file.file.name}>
                <RightsSelect
                  value={file.imageRights}
                  disabled={disabled}
                  onChange={(rights) => answer([file], rights)}
                />
              </Field>
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

/** Shows the answer at once, and also saves it for files that are already uploaded. */
function useAnswer({ update }: ChosenFiles): ImageRightsSaver {
  const loadBackend = useBackendLoader();
  const toast = useToast();
  const clearMessage = useClearMessage();
  const saver = useRef<ImageRightsSaver>(undefined);
  return (files, rights) => {
    for (const { key } of files) update(key, { imageRights: rights });
    const arrived = files.filter(({ state, path }) => state === 'done' && path !== undefined);
    if (arrived.length === 0) return;
    const save = async (): Promise<void> => {
      const { createImageRightsSaver } = await loadSending();
      saver.current ??= createImageRightsSaver({ update, loadBackend, toast, clearMessage });
      saver.current(arrived, rights);
    };
    // Uploading the file has already loaded this code.
    save().catch(() => console.warn('image rights: not changed'));
  };
}

type RightsSelectProps = Readonly<{
  /** Undefined: not the same for all. */
  value: ImageRights | undefined;
  disabled: boolean;
  onChange: (rights: ImageRights) => void;
}>;

function RightsSelect({ value, disabled, onChange }: RightsSelectProps): ReactNode {
  return (
    <Select
      value={value ?? ''}
      disabled={disabled}
      onChange={(event) => {
        const rights = findImageRights(event.target.value);
        if (rights !== undefined) onChange(rights);
      }}
      options={Object.entries(IMAGE_RIGHTS_WORDS)}
    >
      {value === undefined && (
        <option value="" disabled>
          {texts.different}
        </option>
      )}
    </Select>
  );
}
