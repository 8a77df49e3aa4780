import type { ReactNode } from 'react';
import { useBackendConfig } from '#web/backend/client.ts';
import { canTranscribe } from '#web/speech/browser-recognition.ts';
import { useFlow } from '#web/submission/flow.ts';
import { isOf } from '#web/submission/outbox/entry.ts';
import { ownerHere, useOutbox } from '#web/submission/outbox/outbox.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { Notice, NoticeButton } from '#web/ui/notice.tsx';
import { texts } from './texts.ts';

/** What is there of the contribution that a new recording would belong to. */
export type Earlier = Readonly<{
  /** `waiting`: in the outbox. `none`: nothing was handed in, or it is not known here. */
  recording: 'none' | 'waiting' | 'sent';
  hasText: boolean;
  /** Whether a new recording becomes a text. */
  transcribes: boolean;
}>;

/** Says what is there, and what a new recording does to it (decision 0372). */
export function describeEarlier({ recording, hasText, transcribes }: Earlier) {
  const { title, there, missing, again, go, write } = texts.earlier;
  const text = hasText ? 'text' : 'none';
  const next = again[transcribes ? 'transcribed' : recording][text];
  if (recording === 'none') return { title: title[text], text: next, action: hasText ? go : write };
  if (hasText) return { title: title.text, text: `${there[recording]} ${next}`, action: go };
  return { title: title[recording], text: `${missing} ${next}`, action: write };
}

/** Back from the transcript (§2.7): what was handed in is not recorded a second time by mistake. */
export function EarlierNotice(): ReactNode {
  const { state, go } = useFlow();
  const { store, exchangeIfKnown } = useSubmission();
  const transcribes = canTranscribe(useBackendConfig());
  const interviewId = state.interviewId === undefined ? undefined : exchangeIfKnown(state.interviewId);
  const recording = useEarlierRecording(interviewId);
  if (interviewId === undefined) return null;
  const text = store.transcript(interviewId) ?? state.transcript;
  // A text that was removed (§2.11) is not missing.
  const isKnown = text !== undefined || (recording !== 'none' && store.transcriptInterviewId() !== interviewId);
  if (!isKnown) return null;
  const shown = describeEarlier({ recording, hasText: (text ?? '').trim() !== '', transcribes });
  const goOn = () => go({ to: 'transcript-edit', state: { interviewId, transcript: text ?? '' } });
  return (
    <Notice title={shown.title} action={<NoticeButton onClick={goOn}>{shown.action}</NoticeButton>}>
      {shown.text}
    </Notice>
  );
}

function useEarlierRecording(interviewId: string | undefined): Earlier['recording'] {
  const { store } = useSubmission();
  const { entries } = useOutbox(ownerHere(useBackendConfig()));
  const parts = entries.filter((entry) => isOf(entry, interviewId)).flatMap((entry) => entry.parts);
  const kept = parts.find(({ content }) => content.kind === 'recording');
  if (kept !== undefined) return kept.state.status === 'sent' ? 'sent' : 'waiting';
  return interviewId !== undefined && store.recordedInterviewId() === interviewId ? 'sent' : 'none';
}
