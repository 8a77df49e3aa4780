import { type ReactNode, useMemo, useRef, useState } from 'react';
import { encode } from 'uqr';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Field } from '#web/ui/field.tsx';
import { QrCode as QrIcon } from '#web/ui/screen-icons.ts';
import { TextInput } from '#web/ui/text-input.tsx';
import { texts } from './texts.ts';

/** D9: hands the contribution to people without a login. */
export function ShareCard({ link }: Readonly<{ link: string }>): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState(false);
  return (
    <SectionCard title={texts.shareTitle}>
      <p className="mb-5 max-w-measure text-muted">{texts.shareLead}</p>
      <Field label={texts.shareLink}>
        <TextInput ref={input} readOnly value={link} onFocus={(event) => event.target.select()} />
      </Field>
      <div className="mt-4 flex flex-wrap gap-2">
        <CopyButton text={link} label={texts.copy} failed={texts.copyFailed} onFailed={() => input.current?.select()} />
        <Button
          variant="quiet"
          icon={<QrIcon aria-hidden className="size-5" />}
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? texts.hideQr : texts.showQr}
        </Button>
      </div>
      {shown && (
        <div className="mt-4">
          <QrCode value={link} label={texts.qr} />
        </div>
      )}
    </SectionCard>
  );
}

const BORDER = 2;

/** Black on white in both themes: cameras need it. Drawn as one path, without any markup from a string. */
function QrCode({ value, label }: Readonly<{ value: string; label: string }>): ReactNode {
  const { size, path } = useMemo(() => {
    const code = encode(value, { ecc: 'M', border: BORDER });
    const squares = code.data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
    return { size: code.size, path: squares.join('') };
  }, [value]);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} className="w-full max-w-56 rounded-control">
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" shapeRendering="crispEdges" />
    </svg>
  );
}
