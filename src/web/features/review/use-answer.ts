import { useEffect, useRef, useState } from 'react';
import type { ReviewedPost } from '#contract/posts.ts';
import { dropDraft, readDraft, type WordedAnswer } from './drafts.ts';
import { type AnswerOutcome, getPostStatus, type GivenAnswer } from './use-review.ts';

/** The answer that is being given to a post: which form is open, and what became of what was sent. */
export function useAnswer(post: ReviewedPost, onAnswer: (given: GivenAnswer) => Promise<AnswerOutcome>) {
  const [form, setForm] = useState(() => readDraft(post.id)?.about);
  const [begun, setBegun] = useState(() => readDraft(post.id)?.version ?? post.version);
  const [choosing, setChoosing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<AnswerOutcome>();
  const { result, noteGone } = useFocusAfterPress();
  const show = (about: WordedAnswer | undefined): void => {
    setOutcome(undefined);
    setForm(about);
    setBegun(post.version);
  };
  /** Nothing is left to send: what the post has is shown. */
  const settle = (): void => {
    dropDraft(post.id);
    show(undefined);
    setChoosing(false);
  };
  const setSent = useSent(post, busy, settle);
  const send = async (answer: GivenAnswer['answer'], readComment: () => string): Promise<void> => {
    if (busy) return;
    const comment = readComment();
    setBusy(true);
    setOutcome(undefined);
    setSent({ answer, comment });
    const became = await onAnswer({ post: post.id, version: post.version, answer, comment });
    setBusy(false);
    setOutcome(became);
    // Spoken words that came meanwhile have not been sent: the form stays open with them.
    if (became !== 'recorded' || readComment() !== comment) return;
    settle();
    noteGone();
  };
  const open = (about: WordedAnswer): void => (setSent(undefined), show(about));
  const close = (): void => (dropDraft(post.id), setForm(undefined), noteGone());
  const chooseAgain = (): void => (setChoosing(true), noteGone());
  return { form, begun, choosing, busy, outcome, result, send, open, close, chooseAgain };
}

type Sent = Pick<GivenAnswer, 'answer' | 'comment'>;

/** Remembers what was sent without a reply, also by the last visit; `onArrived`: the server has it all the same. */
function useSent(post: ReviewedPost, busy: boolean, onArrived: () => void): (sent: Sent | undefined) => void {
  const [sent, setSent] = useState<Sent | undefined>(() => {
    const kept = readDraft(post.id);
    return kept === undefined || kept.speaking === true ? undefined : { answer: kept.about, comment: kept.text.trim() };
  });
  if (!busy && sent !== undefined && hasArrived(post, sent)) {
    setSent(undefined);
    onArrived();
  }
  return setSent;
}

/** Whether the post shows the answer that was sent. False while its form has newer words, typed or spoken. */
function hasArrived(post: ReviewedPost, { answer, comment }: Sent): boolean {
  if (!['answered', 'withdrawn'].includes(getPostStatus(post)) || post.answer?.answer !== answer) return false;
  const { text, speaking } = readDraft(post.id) ?? { text: '' };
  return post.answer.comment === comment && text.trim() === comment && speaking !== true;
}

/** The pressed button has left the page: without this the focus would begin again at its top. */
function useFocusAfterPress() {
  const result = useRef<HTMLDivElement>(null);
  const [gone, setGone] = useState(0);
  useEffect(() => {
    const { current: shown } = result;
    const target = shown?.hasChildNodes() === false ? shown.parentElement?.querySelector('button') : shown;
    if (gone > 0) target?.focus({ preventScroll: true });
  }, [gone]);
  return { result, noteGone: () => setGone((count) => count + 1) };
}
