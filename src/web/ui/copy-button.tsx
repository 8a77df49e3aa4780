import { type ReactNode, useState } from 'react';
import { Button, type ButtonVariant, IconButton } from './button.tsx';
import { Check } from './icons.tsx';
import { Copy } from './screen-icons.ts';
import { uiTexts } from './texts.ts';

type CopyButtonProps = Readonly<{
  text: string;
  label: string;
  /** Whose text it is, for screen readers, where several stand on a page. */
  of?: string;
  /** What to do where the browser refuses. */
  failed: string;
  onFailed?: () => void;
  variant?: ButtonVariant;
  /** Without words. */
  compact?: boolean;
}>;

/** Copies `text` and says itself that it has; where the browser refuses, the reason stands beside it. */
export function CopyButton(props: CopyButtonProps): ReactNode {
  const { text, label, of, failed, onFailed, variant = 'secondary', compact = false } = props;
  const [last, setLast] = useState<Readonly<{ text: string; copied: boolean }>>();
  // Another text has not been copied yet.
  const copied = last?.text === text ? last.copied : undefined;
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setLast({ text, copied: true }),
      () => {
        setLast({ text, copied: false });
        onFailed?.();
      },
    );
  };
  const icon = copied === true ? Check : Copy;
  const shown = copied === true ? uiTexts.copied : label;
  return (
    <>
      {compact ? (
        <IconButton label={shown} icon={icon} onClick={copy} />
      ) : (
        <Button
          variant={variant}
          aria-label={of === undefined ? undefined : `${shown}: ${of}`}
          icon={icon}
          disabled={text === ''}
          onClick={copy}
        >
          {shown}
        </Button>
      )}
      <output className="sr-only">{copied === true && uiTexts.copied}</output>
      {copied === false && (
        <p role="alert" className="w-full pb-2 text-sm text-caution-ink">
          {failed}
        </p>
      )}
    </>
  );
}
