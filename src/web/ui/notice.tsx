import { clsx } from 'clsx';
import {
  type ComponentProps,
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { Button } from './button.tsx';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from './icons.tsx';

export type Tone = 'info' | 'caution' | 'error' | 'good';

const LOOK = {
  info: { icon: Info, ground: 'bg-accent-wash', mark: 'text-accent-ink' },
  caution: { icon: TriangleAlert, ground: 'bg-caution-wash', mark: 'text-caution-ink' },
  error: { icon: CircleAlert, ground: 'bg-record-wash', mark: 'text-record-ink' },
  good: { icon: CircleCheck, ground: 'bg-good-wash', mark: 'text-good-ink' },
} as const;

export function ToneIcon({ tone, className }: Readonly<{ tone: Tone; className?: string }>): ReactNode {
  const Icon = LOOK[tone].icon;
  return <Icon className={clsx('shrink-0', LOOK[tone].mark, className ?? 'size-5')} />;
}

type NoticeProps = Readonly<{
  tone?: Tone;
  title?: string;
  /** Announce it when it appears: errors at once, everything else when there is a pause. */
  live?: boolean;
  action?: ReactNode;
  variant?: ToastVariant;
  className?: string;
  ref?: Ref<HTMLDivElement>;
  children?: ReactNode;
}>;

/**
 * A remark that stays where it is (a toast goes by itself). Show an alert without an element around it that appears
 * together with it: some browsers do not announce it then.
 */
export function Notice(props: NoticeProps): ReactNode {
  const { tone = 'info', title, live = false, action, variant, className, ref, children } = props;
  const role = tone === 'error' ? 'alert' : 'status';
  const words = useRef<HTMLDivElement>(null);
  const spoken = useSpoken(words, live && role === 'status');
  return (
    <div
      ref={ref}
      role={live ? role : undefined}
      aria-live={spoken ? 'off' : undefined}
      data-variant={variant}
      className={clsx('flex gap-3 rounded-control p-4', LOOK[tone].ground, className)}
    >
      <ToneIcon tone={tone} className="mt-0.5 size-5" />
      <div className="min-w-0 flex-1">
        <div ref={words}>
          {title !== undefined && <p className="font-medium">{title}</p>}
          {children !== undefined && <div className="text-ink">{children}</div>}
        </div>
        {action !== undefined && <div className="mt-3 flex flex-wrap gap-2">{action}</div>}
      </div>
    </div>
  );
}

/** What can be done about a notice. */
export function NoticeButton(props: Omit<ComponentProps<typeof Button>, 'variant'>): ReactNode {
  return <Button variant="secondary" {...props} />;
}

let announce: ((words: HTMLElement) => void) | undefined;

/** Sets what announces statuses; it is called each time that one is rendered. */
export function announceWith(next: typeof announce): void {
  announce = next;
}

/**
 * Has a status announced, because many screen readers pass over one that appears with its text. Returns whether it is;
 * until the region for it is there (see toaster.tsx), the status announces itself.
 */
function useSpoken(words: RefObject<HTMLElement | null>, wanted: boolean): boolean {
  const spoken = wanted && announce !== undefined;
  useEffect(() => {
    if (spoken && words.current !== null) announce?.(words.current);
  });
  return spoken;
}

type Message = Omit<ToastMessage, 'id'>;

/**
 * A message next to the control that caused it, which stays until the next action there (decision 0279). Returns the
 * rendered message and the function that sets it, or clears it when called without one.
 */
export function useInlineMessage(): readonly [message: ReactNode, show: (message?: Message) => void] {
  const [message, setMessage] = useState<ToastMessage>();
  const show = useCallback(
    (next?: Message): void => setMessage((before) => next && { ...next, id: (before?.id ?? 0) + 1 }),
    [],
  );
  return [message && <StepMessage key={message.id} message={message} />, show];
}

/** `destructive` is §8's error style. */
export type ToastVariant = 'default' | 'good' | 'caution' | 'destructive';

export type ToastMessage = Readonly<{
  id: number;
  title: string;
  description?: string | undefined;
  variant?: ToastVariant;
}>;

export const TONES: Readonly<Record<ToastVariant, Tone>> = {
  default: 'info',
  good: 'good',
  caution: 'caution',
  destructive: 'error',
};

/** A message that stands in the screen of a flow, in sight without moving more of the page than needed. */
export function StepMessage({ message }: Readonly<{ message: ToastMessage }>): ReactNode {
  const { title, description, variant = 'default' } = message;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers answer with a promise, which is no function for an effect to end with.
    place.current?.scrollIntoView?.({ block: 'nearest' });
  }, []);
  return (
    <Notice ref={place} tone={TONES[variant]} title={title} live variant={variant} className="animate-rise">
      {description !== undefined && <span className="whitespace-pre-line">{description}</span>}
    </Notice>
  );
}
