import { clsx } from 'clsx';
import { Camera, Upload } from './icons.tsx';
import { useEffect, useRef, useState, type ChangeEvent, type DragEvent, type ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { uiTexts } from './texts.ts';
import { useFocusAfter } from './use-focus.ts';

export type DropzoneProps = Readonly<{
  /** Value of the input's `accept`; a hint to the browser only: check what comes in. */
  accept: string;
  multiple?: boolean;
  disabled?: boolean;
  /** Which files and how large, in words. */
  hint: string;
  label?: string;
  /** Offers the camera on devices that have one: 'environment' is the one at the back. */
  capture?: 'environment' | 'user';
  onFiles: (files: readonly File[]) => void;
  /** How many files are chosen: the button takes the focus of one that was removed. */
  count?: number;
}>;

/** Files by choosing, dragging, pasting, keyboard or camera. */
export function Dropzone(props: DropzoneProps): ReactNode {
  const { accept, multiple = true, disabled = false, hint, capture, onFiles, count = 0 } = props;
  const label = props.label ?? (multiple ? uiTexts.choose : uiTexts.chooseOne);
  const picker = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  useFocusAfter(count, choose);
  const camera = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  usePastedFiles(disabled ? undefined : onFiles);
  const take = (event: ChangeEvent<HTMLInputElement>): void => {
    const files = [...(event.target.files ?? [])];
    event.target.value = '';
    if (files.length > 0) onFiles(files);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (!disabled && event.dataTransfer.files.length > 0) onFiles([...event.dataTransfer.files]);
  };
  return (
    <div
      className="flex flex-col gap-3"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!disabled && event.dataTransfer.types.includes('Files'));
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <button
        ref={choose}
        type="button"
        disabled={disabled}
        onClick={() => picker.current?.click()}
        className={clsx(
          'flex w-full flex-col items-center gap-1 rounded-card border border-dashed',
          'px-6 py-10 text-center transition-colors',
          over ? 'border-accent bg-accent-wash' : 'border-line-strong bg-surface enabled:hover:border-accent',
          'disabled:cursor-not-allowed disabled:bg-sunken',
        )}
      >
        <Upload className="mb-3 size-7 text-accent-ink" />
        <span className="text-lg font-medium">{over ? uiTexts.dropHere : label}</span>
        <span className="text-sm text-muted">{uiTexts.dropHint}</span>
        <span className="text-sm text-muted">{hint}</span>
      </button>
      <output className="sr-only">{count > 0 && uiTexts.chosen(count)}</output>
      <input ref={picker} type="file" hidden accept={accept} multiple={multiple} disabled={disabled} onChange={take} />
      {capture !== undefined && (
        <>
          <button
            type="button"
            disabled={disabled}
            onClick={() => camera.current?.click()}
            className={clsx(buttonClass('secondary', { off: disabled, wide: true }), 'pointer-fine:hidden')}
          >
            <Camera className="size-5" />
            {uiTexts.camera}
          </button>
          <input
            ref={camera}
            type="file"
            hidden
            accept={accept}
            capture={capture}
            disabled={disabled}
            onChange={take}
          />
        </>
      )}
    </div>
  );
}

function usePastedFiles(onFiles: ((files: readonly File[]) => void) | undefined): void {
  useEffect(() => {
    if (onFiles === undefined) return undefined;
    const paste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      onFiles(files);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [onFiles]);
}
