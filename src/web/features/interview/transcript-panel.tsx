import { Copy, PencilLine } from '#web/ui/screen-icons.ts';
import { useRef, useState, type ReactNode } from 'react';
import { useRunningWork } from '#web/submission/use-running-work.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { useFocusAfter } from '#web/ui/use-focus.ts';
import { useToast } from '#web/ui/toast.tsx';
import { ConversationLog } from './conversation-log.tsx';
import { texts } from './texts.ts';
import type { InterviewHandle } from './use-interview.ts';

type TranscriptPanelProps = Readonly<{
  handle: InterviewHandle;
  /** Gives whether the text is where it belongs; the editor stays open until then. */
  onEdit: (transcript: string) => Promise<boolean>;
  /** The input field under the conversation. */
  children?: ReactNode;
}>;

/** The live transcript; can be copied at any time and edited while no interview is active (§2.5). */
export function TranscriptPanel({ handle, onEdit, children }: TranscriptPanelProps): ReactNode {
  const { dialogue, active } = handle;
  const toast = useToast();
  const [draft, setDraft] = useState<string>();
  const [saving, setSaving] = useState(false);
  useRunningWork(saving);
  const editing = draft !== undefined && !active;
  const edit = useRef<HTMLButtonElement>(null);
  useFocusAfter(editing, edit);
  const save = async (): Promise<void> => {
    if (draft === undefined || draft.trim() === '') return toast({ ...texts.nothing, variant: 'destructive' });
    setSaving(true);
    const done = await onEdit(draft.trim());
    setSaving(false);
    if (done) setDraft(undefined);
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(dialogue.transcript);
      toast(texts.copied);
    } catch {
      toast({ ...texts.notCopied, variant: 'destructive' });
    }
  };
  const actions = (
    <span className="-my-2 -mr-3 flex">
      {!editing && (
        <Button
          variant="quiet"
          icon={<Copy aria-hidden className="size-4" />}
          disabled={dialogue.transcript === ''}
          onClick={() => void copy()}
        >
          <span className="max-sm:sr-only">{texts.panel.copy}</span>
        </Button>
      )}
      {editing && (
        <Button variant="quiet" disabled={saving} onClick={() => setDraft(undefined)}>
          {texts.panel.discard}
        </Button>
      )}
      <Button
        ref={edit}
        variant={editing ? 'primary' : 'quiet'}
        icon={editing ? undefined : <PencilLine aria-hidden className="size-4" />}
        disabled={active || dialogue.transcript === ''}
        busy={saving}
        busyLabel={texts.panel.saving}
        onClick={editing ? () => void save() : () => setDraft(dialogue.transcript)}
      >
        {editing ? texts.panel.save : <span className="max-sm:sr-only">{texts.panel.edit}</span>}
      </Button>
    </span>
  );
  return (
    <SectionCard title={texts.panel.title} action={dialogue.transcript === '' ? undefined : actions}>
      <div className="flex flex-col gap-4">
        {editing ? (
          <TextArea
            aria-label={texts.panel.title}
            className="max-h-96 min-h-[200px]"
            placeholder={texts.panel.placeholder}
            value={draft}
            readOnly={saving}
            onChange={(event) => setDraft(event.target.value)}
          />
        ) : (
          <ConversationLog handle={handle} />
        )}
        {children}
      </div>
    </SectionCard>
  );
}
