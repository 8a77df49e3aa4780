import { useCallback, useState, type ReactNode } from 'react';
import { StepMessage, type ToastMessage } from './step-message.tsx';

type Message = Omit<ToastMessage, 'id'>;

/**
 * What is said beside what was pressed, in sight, until something else is done there (decision 0279): the message as
 * it is drawn, and what sets it or, without a message, takes it away.
 */
export function useInlineMessage(): readonly [message: ReactNode, show: (message?: Message) => void] {
  const [message, setMessage] = useState<ToastMessage>();
  const show = useCallback(
    (next?: Message): void => setMessage((before) => next && { ...next, id: (before?.id ?? 0) + 1 }),
    [],
  );
  return [message && <StepMessage key={message.id} message={message} />, show];
}
