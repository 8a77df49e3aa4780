import { useId, useState, type ReactNode } from 'react';
import type { Review } from '#contract/posts.ts';
import { clsx } from 'clsx';
import { Badge } from '#web/ui/badge.tsx';
import { ChevronDown } from '#web/ui/icons.tsx';
import type { SupportedSentence } from './list-evidence.ts';
import { nameSource, texts } from './texts.ts';

type EvidenceProps = Readonly<{ body: string; sources: Review['sources'] }>;

type Loaded =
  | Readonly<{ status: 'closed' | 'loading' | 'failed' }>
  | Readonly<{ status: 'open'; sentences: readonly SupportedSentence[] }>;

/** On which words of the contributor each sentence rests. Its code is loaded when it is opened. */
export function Evidence({ body, sources }: EvidenceProps): ReactNode {
  const [loaded, setLoaded] = useState<Loaded>({ status: 'closed' });
  const id = useId();
  const open = loaded.status !== 'closed';
  const toggle = (): void => {
    if (open) return setLoaded({ status: 'closed' });
    setLoaded({ status: 'loading' });
    import('./list-evidence.ts').then(
      ({ listEvidence }) => setLoaded({ status: 'open', sentences: listEvidence(body, sources) }),
      () => setLoaded({ status: 'failed' }),
    );
  };
  return (
    <div className="border-t border-line">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={toggle}
        className="touch flex w-full items-center justify-between gap-3 px-5 py-2.5 text-left font-medium hover:bg-sunken sm:px-6"
      >
        {texts.evidence.open}
        <ChevronDown
          aria-hidden
          className={clsx('size-5 shrink-0 text-muted transition-transform', open && 'rotate-180')}
        />
      </button>
      <div id={id} hidden={!open} className="px-5 pt-1 pb-5 sm:px-6">
        {loaded.status === 'loading' && <output>{texts.evidence.loading}</output>}
        {loaded.status === 'failed' && <p role="alert">{texts.evidence.failed}</p>}
        {loaded.status === 'open' && <Sentences sentences={loaded.sentences} />}
      </div>
    </div>
  );
}

const TONES = { quoted: 'good', paraphrased: 'accent', unsupported: 'caution' } as const;

function Sentences({ sentences }: Readonly<{ sentences: readonly SupportedSentence[] }>): ReactNode {
  if (sentences.length === 0) return <p className="text-muted">{texts.evidence.nothing}</p>;
  return (
    <>
      <p className="mb-4 text-sm text-muted">{texts.evidence.lead}</p>
      <ol className="flex flex-col gap-5">
        {sentences.map(({ text, verdict, quote }, index) => (
          <li key={index} className="flex flex-col items-start gap-2">
            <p className="wrap-anywhere">{text}</p>
            <Badge tone={TONES[verdict]}>{texts.evidence[verdict]}</Badge>
            {quote === undefined ? (
              <p className="text-sm text-muted">{texts.evidence.check}</p>
            ) : (
              <figure className="border-l-2 border-line-strong pl-4">
                <blockquote className="text-muted wrap-anywhere">„{quote.text}“</blockquote>
                <figcaption className="text-sm text-muted">{nameSource(quote.source)}</figcaption>
              </figure>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
