import { clsx } from 'clsx';
import { type ReactNode, useState } from 'react';
import { POST_LIMITS } from '#contract/posts.ts';
import { IconButton } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextInput } from '#web/ui/form-fields.tsx';
import { ChevronDown } from '#web/ui/icons.tsx';
import { postTexts } from './texts.ts';
import type { DraftContent } from './use-post-draft.ts';

const texts = postTexts.pictures;

type PostPicture = DraftContent['pictures'][number];
export type Upload = Readonly<{ id: number; name: string; url: string | undefined }>;

type PictureListProps = Readonly<{
  uploads: readonly Upload[];
  pictures: readonly PostPicture[];
  readOnly: boolean;
  onChange: (pictures: PostPicture[]) => void;
}>;

/**
 * The pictures in the order of the post: used or not, each with its alternative text; moved by buttons or by
 * dragging.
 */
export function PictureList({ uploads, pictures, readOnly, onChange }: PictureListProps): ReactNode {
  const [announcement, setAnnouncement] = useState('');
  const [dragged, setDragged] = useState<number>();
  const all = listAll(uploads, pictures);
  const getName = (id: number): string => uploads.find((one) => one.id === id)?.name ?? texts.name(id);
  const change = (upload: number, part: Partial<PostPicture>): void =>
    onChange(keepChosen(all.map((one) => (one.upload === upload ? { ...one, ...part } : one))));
  /** Undefined where it would change nothing: pictures that are not used have no order among themselves. */
  const getMove = (from: number, to: number): (() => void) | undefined => {
    const moved = all[from];
    if (moved === undefined || to < 0 || to >= all.length) return undefined;
    const after = keepChosen(all.toSpliced(from, 1).toSpliced(to, 0, moved));
    if (listAll(uploads, after).every(({ upload }, at) => upload === all[at]?.upload)) return undefined;
    return () => {
      onChange(after);
      setAnnouncement(texts.moved(getName(moved.upload), to + 1));
    };
  };
  if (all.length === 0) return <p className="text-muted">{texts.none}</p>;
  return (
    <>
      <ol aria-label={texts.title} className="flex flex-col gap-3">
        {all.map((picture, at) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- buttons do the same
          <li
            key={picture.upload}
            onDragStart={(event) => {
              // Firefox drags nothing without data.
              event.dataTransfer.setData('text/plain', getName(picture.upload));
              event.dataTransfer.effectAllowed = 'move';
              setDragged(at);
            }}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged !== undefined) getMove(dragged, at)?.();
            }}
            className={clsx(
              'rounded-control border p-3 transition-[border-color,opacity]',
              picture.used ? 'border-line-strong' : 'border-dashed border-line',
              dragged === at && 'opacity-50',
            )}
          >
            <PictureRow
              picture={picture}
              name={getName(picture.upload)}
              url={uploads.find(({ id }) => id === picture.upload)?.url}
              readOnly={readOnly}
              onChange={(part) => change(picture.upload, part)}
              onUp={getMove(at, at - 1)}
              onDown={getMove(at, at + 1)}
            />
          </li>
        ))}
      </ol>
      <output className="sr-only">{announcement}</output>
    </>
  );
}

type RowProps = Readonly<{
  picture: PostPicture;
  name: string;
  url: string | undefined;
  readOnly: boolean;
  onChange: (part: Partial<PostPicture>) => void;
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
}>;

function PictureRow({ picture, name, url, readOnly, onChange, onUp, onDown }: RowProps): ReactNode {
  const { alt, used } = picture;
  return (
    <div className="flex flex-col gap-3">
      {/* Without the field: in what can be dragged no text is selected with the pointer. */}
      <div draggable={!readOnly} className={clsx('flex items-center gap-2 sm:gap-3', !readOnly && 'cursor-grab')}>
        <span className="size-12 shrink-0 overflow-hidden rounded-sm bg-sunken sm:size-16">
          {url !== undefined && <img src={url} alt="" draggable={false} className="size-full object-cover" />}
        </span>
        <label className="touch flex min-w-0 flex-1 cursor-pointer items-center gap-2.5">
          <input
            type="checkbox"
            checked={used}
            disabled={readOnly}
            aria-label={texts.useNamed(name)}
            onChange={(event) => onChange({ used: event.currentTarget.checked })}
            className="size-5 shrink-0"
          />
          <span className="min-w-0">
            <span className="block font-medium">{name}</span>
            <span aria-hidden className="block text-sm text-muted">
              {texts.use}
            </span>
          </span>
        </label>
        {!readOnly && (
          <span className="flex shrink-0 max-sm:flex-col">
            <IconButton
              label={texts.up(name)}
              icon={ChevronDown}
              iconClass="size-5 rotate-180"
              disabled={onUp === undefined}
              onClick={onUp}
            />
            <IconButton label={texts.down(name)} icon={ChevronDown} disabled={onDown === undefined} onClick={onDown} />
          </span>
        )}
      </div>
      {used && (
        <Field label={texts.alt(name)} hint={alt.trim() === '' ? texts.altMissing : texts.altHint}>
          <TextInput
            value={alt}
            readOnly={readOnly}
            maxLength={POST_LIMITS.alt}
            onChange={(event) => onChange({ alt: event.currentTarget.value })}
          />
        </Field>
      )}
    </div>
  );
}

/** The post's own order first, then what it does not use. A picture that is gone is left out. */
function listAll(uploads: readonly Upload[], pictures: readonly PostPicture[]): readonly PostPicture[] {
  const there = pictures.filter(({ upload }) => uploads.some(({ id }) => id === upload));
  const others = uploads.filter(({ id }) => !there.some(({ upload }) => upload === id));
  return [...there, ...others.map(({ id }) => ({ upload: id, alt: '', used: false }))];
}

/** Unused pictures without a text say nothing: those at the end go, where a post cannot keep all the others too. */
function keepChosen(pictures: readonly PostPicture[]): PostPicture[] {
  const isChosen = ({ alt, used }: PostPicture): boolean => used || alt !== '';
  const last = pictures.findLastIndex(isChosen);
  return last < POST_LIMITS.pictures ? pictures.slice(0, last + 1) : pictures.filter(isChosen);
}
