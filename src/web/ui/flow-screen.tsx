import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { ArrowLeft } from './icons.tsx';
import { keepBarClear } from './keep-clear.ts';
import { StepMessage } from './notice.tsx';
import { ScreenTitle } from './screen-title.tsx';
import { uiTexts } from './texts.ts';
import { useStepMessage } from './toast.tsx';

export type FlowScreenProps = Readonly<{
  step?: Readonly<{ current: number; total: number; name: string }> | undefined;
  title: string;
  /** One sentence: what to do here. */
  lead?: ReactNode;
  /** What was handed in so far, small. */
  summary?: ReactNode;
  /** Left out where there is no way back. */
  onBack?: (() => void) | undefined;
  /** The ONE primary action, a Button. */
  primary?: ReactNode;
  /** A second, quiet way on, such as skipping. */
  secondary?: ReactNode;
  children?: ReactNode;
}>;

/** One column; the actions stay at the bottom, in sight and within the thumb's reach, however long the content is. */
export function FlowScreen(props: FlowScreenProps): ReactNode {
  const { step, title, lead, summary, onBack, primary, secondary, children } = props;
  const { message, arrived } = useStepMessage();
  const said = message !== undefined && <StepMessage key={message.id} message={message} />;
  const acts = onBack !== undefined || primary !== undefined || secondary !== undefined;
  return (
    <div className="mx-auto flex w-full max-w-column flex-1 flex-col px-4 pt-6 sm:px-6 sm:pt-12">
      <header className="mb-6 sm:mb-8">
        {step !== undefined && <Step {...step} />}
        <ScreenTitle tabTitle={step === undefined ? title : `${title} (${step.current}/${step.total})`}>
          {title}
        </ScreenTitle>
        {lead !== undefined && <p className="mt-3 max-w-measure text-lg text-muted">{lead}</p>}
        {summary !== undefined && <div className="mt-4 text-sm text-muted">{summary}</div>}
        {arrived && <div className="mt-4">{said}</div>}
      </header>
      <div className="flex flex-1 flex-col gap-6 pb-8 max-sm:pb-[calc(2rem+var(--toast-space,0px))]">
        {children}
        {!arrived && said}
      </div>
      {acts && (
        <div
          ref={keepBarClear}
          data-actions
          className={clsx(
            'sticky bottom-0 z-10 -mx-4 flex flex-wrap-reverse items-center gap-2 border-t border-line short:static',
            'bg-paper px-4 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:mx-0 sm:mb-8 sm:px-0',
          )}
        >
          {onBack !== undefined && (
            <span className="-ml-4">
              <Button variant="quiet" icon={ArrowLeft} onClick={onBack}>
                <span className={secondary === undefined ? undefined : 'max-sm:sr-only'}>{uiTexts.back}</span>
              </Button>
            </span>
          )}
          <div className="flex flex-1 flex-wrap-reverse items-center justify-end gap-2">
            {secondary}
            {primary}
          </div>
        </div>
      )}
    </div>
  );
}

function Step({ current, total, name }: Readonly<{ current: number; total: number; name: string }>): ReactNode {
  return (
    <div className="mb-4">
      <p className="text-sm font-medium text-muted tabular">{uiTexts.step(current, total, name)}</p>
      <div aria-hidden className="mt-2.5 flex gap-1.5">
        {Array.from({ length: total }, (_, index) => (
          <span key={index} className={`h-1 flex-1 rounded-full ${index < current ? 'bg-accent' : 'bg-line'}`} />
        ))}
      </div>
    </div>
  );
}
