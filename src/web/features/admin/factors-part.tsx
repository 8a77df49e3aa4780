import { ShieldOff } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { Account, AccountFactors } from '#contract/accounts.ts';
import { Button } from '#web/ui/button.tsx';
import { formatDate } from '#web/ui/format.ts';
import { Notice } from '#web/ui/notice.tsx';
import { accountsTexts } from './texts.ts';
import type { AccountActions } from './use-account-actions.ts';

const texts = accountsTexts.factors;

type State =
  | Readonly<{ status: 'loading' | 'failed' }>
  | Readonly<{ status: 'ready'; list: AccountFactors['factors'] }>;

/** What an account is protected with, and the way out for somebody who has lost it. */
export function FactorsPart({ account, actions }: Readonly<{ account: Account; actions: AccountActions }>): ReactNode {
  const [state, setState] = useState<State>({ status: 'loading' });
  const { factorsOf } = actions;
  const waiting = state.status === 'loading';
  useEffect(() => {
    if (!waiting) return undefined;
    let left = false;
    factorsOf(account.id).then(
      ({ factors }) => left || setState({ status: 'ready', list: factors }),
      () => left || setState({ status: 'failed' }),
    );
    return () => {
      left = true;
    };
  }, [waiting, factorsOf, account.id]);
  return (
    <section className="border-t border-line pt-6">
      <h3 className="font-medium">{texts.title}</h3>
      {state.status === 'loading' && <output className="mt-1 block text-muted">{texts.loading}</output>}
      {state.status === 'failed' && (
        <Notice
          tone="error"
          live
          title={texts.failed}
          action={
            <Button variant="secondary" onClick={() => setState({ status: 'loading' })}>
              {accountsTexts.retry}
            </Button>
          }
        />
      )}
      {state.status === 'ready' && (
        <Found list={state.list} onRemove={() => actions.show({ kind: 'factors', account })} />
      )}
    </section>
  );
}

type FoundProps = Readonly<{ list: AccountFactors['factors']; onRemove: () => void }>;

function Found({ list, onRemove }: FoundProps): ReactNode {
  if (list.length === 0) return <p className="mt-1 text-muted">{texts.none}</p>;
  return (
    <>
      <ul className="mt-1 mb-3 text-muted">
        {list.map(({ kind, createdAt }) => (
          <li key={`${kind} ${createdAt}`}>{texts.since(texts[kind], formatDate(createdAt))}</li>
        ))}
      </ul>
      <Button variant="secondary" wide icon={<ShieldOff aria-hidden className="size-5" />} onClick={onRemove}>
        {texts.remove}
      </Button>
    </>
  );
}
