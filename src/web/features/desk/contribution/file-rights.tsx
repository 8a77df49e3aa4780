import type { ReactNode } from 'react';
import type { DeskContribution, DeskFile } from '#contract/desk.ts';
import { findImageRights, IMAGE_RIGHTS, IMAGE_RIGHTS_WORDS, type ImageRights } from '#contract/media-uploads.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { Select } from '#web/ui/select.tsx';
import { deskTexts } from '../texts.ts';
import { useDesk } from '../use-desk.ts';
import { contributionTexts } from './texts.ts';

const texts = contributionTexts.imageRights;

type FileRightsProps = Readonly<{
  file: DeskFile;
  name: string;
  onChanged: (contribution: DeskContribution) => void;
}>;

/** Who can be recognised on a picture or in a film, as the contributor said it or the team found out. */
export function FileRights({ file, name, onChanged }: FileRightsProps): ReactNode {
  const desk = useDesk();
  const { run, busy, error } = useAction({
    mutationFn: (rights: ImageRights) => desk.answerImageRights(file.id, rights),
    onSuccess: onChanged,
  });
  const value = file.imageRights ?? '';
  return (
    <>
      <Select
        aria-label={texts.label(name)}
        aria-busy={busy || undefined}
        value={value}
        onChange={(event) => {
          const rights = findImageRights(event.target.value);
          if (rights !== undefined) void run(rights);
        }}
        className="mt-1 max-w-96 print:hidden"
      >
        {value === '' && (
          <option value="" disabled>
            {texts.notAsked}
          </option>
        )}
        {IMAGE_RIGHTS.map((rights) => (
          <option key={rights} value={rights}>
            {IMAGE_RIGHTS_WORDS[rights]}
          </option>
        ))}
      </Select>
      <p className="hidden text-sm print:block">{value === '' ? texts.notAsked : IMAGE_RIGHTS_WORDS[value]}</p>
      {error !== null && (
        <p role="alert" className="mt-1 text-sm text-record-ink">
          {texts.failed}. {deskTexts.problems[getDeskProblem(error)]}
        </p>
      )}
    </>
  );
}
