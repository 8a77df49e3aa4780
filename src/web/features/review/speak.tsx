import { useContext, useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { SpeechContext, type SpeakProps } from './speech.ts';
import { texts } from './texts.ts';

type SpeakingProps = Readonly<{
  post: number;
  open: boolean;
  onOpen: (open: boolean) => void;
  onText: (text: string) => void;
}>;

/** Offers to speak instead of typing, and fetches the recorder for it. */
export function Speak({ post, open, onOpen, onText }: SpeakingProps): ReactNode {
  const speech = useContext(SpeechContext);
  const [Recorder, setRecorder] = useState<ComponentType<SpeakProps> | 'failed'>();
  const load = speech?.load;
  useEffect(() => {
    if (!open || load === undefined) return undefined;
    let shown = true;
    load().then(
      (found) => void (shown && setRecorder(() => found)),
      () => void (shown && setRecorder('failed')),
    );
    return () => {
      shown = false;
    };
  }, [open, load]);
  if (speech === undefined) return null;
  if (open && Recorder === undefined) return <output className="text-muted">{texts.speak.loading}</output>;
  if (open && Recorder !== undefined && Recorder !== 'failed')
    return (
      <Recorder
        place={String(post)}
        reviewKey={speech.reviewKey}
        streams={speech.streams}
        onText={onText}
        onClose={() => onOpen(false)}
      />
    );
  return (
    <div className="flex flex-col items-start gap-3">
      {open && (
        <Notice tone="error" live>
          {texts.speak.failed}
        </Notice>
      )}
      <Button
        variant="secondary"
        onClick={() => {
          setRecorder(undefined);
          onOpen(!open);
        }}
      >
        {open ? texts.speak.write : texts.speak.open}
      </Button>
    </div>
  );
}
