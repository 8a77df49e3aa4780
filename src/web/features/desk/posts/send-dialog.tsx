import { type ReactNode, useEffect, useState } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import type { DeskPost, DeskPosts } from '#web/backend/posts.ts';
import { useUser } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Send } from '#web/ui/screen-icons.ts';
import { NoMailServerNotice, ProblemNotice } from '../notices.tsx';
import { deskTexts } from '../texts.ts';
import { getChannelName, UncertainPictures } from './post-notices.tsx';
import { postTexts } from './texts.ts';
import { type CheckEvidence, nameFact } from './use-evidence.ts';
import { isOutdated, usePostAction } from './use-posts.ts';

const texts = postTexts.send;

type SendDialogProps = Readonly<{
  contribution: DeskContribution;
  posts: readonly DeskPost[];
  /** Whether a text of the post is not saved, in an open field or on this device. */
  isUnsaved: (post: DeskPost) => boolean;
  check: CheckEvidence;
  onSent: (posts: DeskPosts) => void;
  /** Loads the posts again, because somebody else changed one. */
  onConflict: () => void;
  onClose: () => void;
}>;

/** Asks once before the mail; where there is none, it says why. */
export function SendDialog(props: SendDialogProps): ReactNode {
  const { contributorEmail } = props.contribution;
  const { deskMails } = useBackendConfig();
  if (contributorEmail !== null && deskMails !== false) return <AskDialog {...props} email={contributorEmail} />;
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && props.onClose()}
      title={texts.title}
      actions={
        <Button variant="secondary" onClick={props.onClose}>
          {deskTexts.close}
        </Button>
      }
    >
      <Notice tone="caution">{deskTexts.problems[deskMails === false ? 'mail_off' : 'no_address']}</Notice>
    </Dialog>
  );
}

type AskDialogProps = SendDialogProps & Readonly<{ email: string }>;

/** Which posts go, which are not ready, and which facts rest on nothing. */
function AskDialog(props: AskDialogProps): ReactNode {
  const { contribution, posts, isUnsaved, check, onSent, onConflict, onClose, email } = props;
  const isForeign = useForeignChanges(posts);
  const drafts = posts.filter(({ state }) => state === 'draft');
  const rated = drafts.map((post) => ({ post, missing: findMissing(post, isUnsaved, isForeign) }));
  const ready = rated.filter(({ missing }) => missing === undefined).map(({ post }) => post);
  const { run, busy, problem } = usePostAction(
    (functions, sent: readonly DeskPost[]) => functions.requestReview(contribution.id, sent),
    (after) => {
      onSent(after);
      onClose();
    },
    (code) => isOutdated(code) && onConflict(),
  );
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && !busy && onClose()}
      title={texts.title}
      description={texts.text(contribution.firstName ?? texts.person, email)}
      actions={
        <>
          <Button variant="secondary" disabled={busy} onClick={onClose}>
            {deskTexts.cancel}
          </Button>
          <Button
            busy={busy}
            busyLabel={deskTexts.working}
            disabled={ready.length === 0}
            icon={Send}
            onClick={() => void run(ready)}
          >
            {texts.confirm(ready.length)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {problem !== undefined && <ProblemNotice problem={problem} />}
        <NoMailServerNotice />
        <UncertainPictures posts={ready} files={contribution.fileList} />
        {ready.length === 0 ? (
          <Notice tone="caution">{texts.nothing}</Notice>
        ) : (
          <section>
            <h3 className="mb-2 text-sm font-medium">{texts.ready}</h3>
            <ul className="flex flex-col gap-3">
              {ready.map((post) => (
                <li key={post.id}>
                  <p className="font-medium">{getChannelName(post.channel)}</p>
                  <UnsupportedFacts body={post.current.body} check={check} />
                </li>
              ))}
            </ul>
          </section>
        )}
        {rated.some(({ missing }) => missing !== undefined) && (
          <section>
            <h3 className="mb-1 text-sm font-medium">{texts.notReady}</h3>
            <ul className="text-muted">
              {rated.map(({ post, missing }) =>
                missing === undefined ? null : (
                  <li key={post.id}>
                    {getChannelName(post.channel)}: {texts[missing]}
                  </li>
                ),
              )}
            </ul>
          </section>
        )}
      </div>
    </Dialog>
  );
}

type Check = (post: DeskPost) => boolean;

/** Whether another administrator has written a post since the dialog opened: this one has not seen that text. */
function useForeignChanges(posts: readonly DeskPost[]): Check {
  const own = useUser()?.id;
  const [opened] = useState(() => new Map(posts.map(({ id, version }) => [id, version])));
  return ({ id, version, current }) => opened.get(id) !== version && current.by !== own;
}

type Missing = 'unsaved' | 'foreign' | 'empty' | 'alternative';

function findMissing(post: DeskPost, isUnsaved: Check, isForeign: Check): Missing | undefined {
  if (isUnsaved(post)) return 'unsaved';
  if (isForeign(post)) return 'foreign';
  if (post.current.body.trim() === '') return 'empty';
  return post.current.pictures.some(({ used, alt }) => used && alt.trim() === '') ? 'alternative' : undefined;
}

function UnsupportedFacts({ body, check }: Readonly<{ body: string; check: CheckEvidence }>): ReactNode {
  const [facts, setFacts] = useState<readonly string[]>();
  useEffect(() => {
    let current = true;
    void check(body).then((sentences) => {
      const missing = sentences.flatMap((one) => one.facts.filter(({ place }) => place === undefined));
      return current ? setFacts([...new Set(missing.map((fact) => nameFact(body, fact)))]) : undefined;
    });
    return () => {
      current = false;
    };
  }, [check, body]);
  if (facts === undefined) return <p className="text-sm text-muted">{texts.looking}</p>;
  if (facts.length === 0) return null;
  return (
    <div className="mt-1">
      <p className="text-sm text-muted">{texts.unsupported}</p>
      <ul className="mt-1 flex flex-wrap gap-1.5">
        {facts.map((fact) => (
          <li key={fact} className="rounded-sm bg-caution-wash px-2 py-0.5 text-sm font-medium text-caution-ink">
            {fact}
          </li>
        ))}
      </ul>
    </div>
  );
}
