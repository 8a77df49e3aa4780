import { type ReactNode, useEffect, useState } from 'react';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { forgetInterview } from '#web/submission/contribution-client.ts';
import { isLinked, readKey } from '#web/submission/keys.ts';
import { makeContributorLink } from '#web/submission/new-key.ts';
import { isLocalId, numericId } from '#web/submission/local-id.ts';
import { getHeldParts, type KeepHandle, useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { useLeaveWarning, useRunningWork } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useUserId } from '#web/submission/use-user-id.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { CircleCheck } from '#web/ui/icons.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { DeletionDate, FilesCard, NextCard, ShareCard, SummaryCard, TranscriptCard } from './cards.tsx';
import { ContactForm } from './contact-form.tsx';
import { summarise, useContribution } from './contribution.ts';
import { texts } from './texts.ts';
import { useContact } from './use-contact.ts';

/** §2.11: plain, company and test variant. */
export function ThankYouScreen(): ReactNode {
  const { area, state, way } = useFlow();
  const step = useStep('contact');
  const { store, currentId, exchangeIfKnown } = useSubmission();
  const [first] = useState(currentId);
  const interviewId = first === undefined ? undefined : exchangeIfKnown(first);
  const [known] = useState(() => ({ files: state.files ?? [], transcript: store.transcript(interviewId) }));
  const keeping = useKeepOnDevice(interviewId);
  const local = interviewId !== undefined && isLocalId(interviewId);
  // As long as parts of it are on this device, the database knows less of it than this browser.
  const found = useContribution(keeping.entry === undefined ? interviewId : undefined, known);
  const [spoken] = useState(local ? known.transcript : undefined);
  const contact = useContact(keeping, spoken);
  const sent = contact.sent || state.sent === true;
  const held = getHeldParts(interviewId).length > 0;
  const onDevice = local || keeping.entry !== undefined;
  const keepOffered = !sent && (onDevice || held || contact.unsent);
  // Unsent files are only in this page's memory: after a reload only their names are left.
  const lost = !sent && local && keeping.entry === undefined && !held && known.files.length > 0;
  const contribution = lost ? { ...found, files: [] } : found;
  const { transcript } = contribution;
  const guest = isLinked(interviewId);
  const unfinished = interviewId !== undefined && !guest && !sent;
  const allowLeaving = useLeaveWarning(unfinished || (held && !sent), guest ? 'files' : 'contribution');
  useRunningWork(contact.form.formState.isSubmitting);
  useEffect(() => {
    if (area.thankYou === 'test') store.forgetTranscript(interviewId);
  }, [area, store, interviewId]);

  return (
    <FlowScreen
      step={unfinished ? step : undefined}
      title={texts.heading}
      lead={
        guest
          ? getGuestLead(keeping, held, state.uploadSuccess === true || contribution.files.length > 0)
          : getLead({ unfinished, here: onDevice || held })
      }
      summary={<Received id={interviewId} done={!unfinished} />}
    >
      {keeping.entry === undefined && !sent && <IdNotice id={interviewId} />}
      {lost && <LostFiles id={interviewId} />}
      {keepOffered && (
        <KeepOnDevice
          state={(held || contact.unsent) && keeping.state === 'kept' ? 'offered' : keeping.state}
          onKeep={() => void contact.keepForLater()}
          outboxHref="/ausgangskorb"
        />
      )}
      {interviewId !== undefined && !guest && (contact.sent || !sent) && <ContactForm contact={contact} />}
      {/* Below what the form has to say, which would be out of its sight at the end of the page. */}
      <div className="order-1 flex flex-col gap-6 empty:hidden">
        {area.thankYou !== 'plain' && (
          <SummaryCard summary={summarise({ interviewId, transcript, files: contribution.files, way })} />
        )}
        {/* 'No files' would be a guess while parts are on this device, and after a reload, when the key has ended. */}
        {(contribution.files.length > 0 || (keeping.entry === undefined && (contact.sent || !sent))) && (
          <FilesCard contribution={contribution} />
        )}
        {area.thankYou === 'plain' && interviewId !== undefined && !guest && <DeletionDate />}
        {!guest && transcript !== undefined && transcript.trim() !== '' && <TranscriptCard transcript={transcript} />}
        {area.thankYou !== 'plain' && <NextCard />}
        {!guest && <Share id={interviewId} />}
        <WaysOn unfinished={unfinished} allowLeaving={allowLeaving} linkedId={guest ? interviewId : undefined} />
      </div>
    </FlowScreen>
  );
}

/** `here`: parts of it are on this device only. */
function getLead({ unfinished, here }: Readonly<{ unfinished: boolean; here: boolean }>): string {
  if (!unfinished) return texts.lead;
  return here ? texts.contactFirstHere : texts.contactFirst;
}

/** Ends the way of a guest with a link; the contact details are the owner's (decision 0257). */
function getGuestLead({ entry }: KeepHandle, held: boolean, uploaded: boolean): string {
  if (entry !== undefined) return texts.guestKept;
  if (held) return texts.guestMissing;
  return uploaded ? texts.guestLead : texts.guestNothing;
}

/** The check comes once nothing is left to do. */
function Received({ id, done }: Readonly<{ id: string | undefined; done: boolean }>): ReactNode {
  return (
    <p className="flex items-center gap-2">
      {done && <CircleCheck className="size-6 shrink-0 text-good-ink" />}
      <span>
        {texts.contentId}: <span className="tabular break-all text-ink">{id ?? texts.noContentId}</span>
      </span>
    </p>
  );
}

function IdNotice({ id }: Readonly<{ id: string | undefined }>): ReactNode {
  const { area, href } = useFlow();
  if (id !== undefined) {
    return isLocalId(id) ? (
      <Notice tone="caution" title={texts.local.title}>
        {texts.local.description}
      </Notice>
    ) : null;
  }
  const upload = area.flows.includes('upload');
  return (
    <Notice
      tone="caution"
      title={texts.noId.title}
      action={
        <ButtonLink href={href({ to: upload ? 'upload' : 'voice-message' })}>
          {upload ? texts.noId.link : texts.noId.linkRecord}
        </ButtonLink>
      }
    >
      {texts.noId.description}
    </Notice>
  );
}

const FILE_SCREENS = { video: 'video-upload', image: 'image-upload', document: 'document-upload' } as const;

function LostFiles({ id }: Readonly<{ id: string | undefined }>): ReactNode {
  const { area, go, way } = useFlow();
  const spoken = way === 'voice' || way === 'interview';
  const screen = spoken ? 'image-upload-after-voice' : FILE_SCREENS[way ?? 'image'];
  const to = way === undefined && area.flows.includes('upload') ? 'upload' : screen;
  const action = (
    <Button variant="secondary" onClick={() => go({ to, state: { interviewId: id } })}>
      {texts.lost.action}
    </Button>
  );
  return (
    <Notice tone="caution" title={texts.lost.title} action={action}>
      {texts.lost.description}
    </Notice>
  );
}

/** D9: only who is logged in hands a contribution on, and only where this browser holds its key. */
function Share({ id }: Readonly<{ id: string | undefined }>): ReactNode {
  const userId = useUserId();
  const [key] = useState(() => readKey(id));
  if (typeof userId !== 'string' || numericId(id) === undefined || id === undefined || key === undefined) return null;
  return <ShareCard link={makeContributorLink(window.location.origin, id, key)} />;
}

type WaysOnProps = Readonly<{ unfinished: boolean; allowLeaving: () => void; linkedId: string | undefined }>;

/** §2.11: the test area's buttons. Without a login the start page would be the login form. */
function WaysOn({ unfinished, allowLeaving, linkedId }: WaysOnProps): ReactNode {
  const { area, go } = useFlow();
  const { store } = useSubmission();
  const userId = useUserId();
  const [leaving, setLeaving] = useState<() => void>();
  const leave = (way: () => void) => (unfinished ? setLeaving(() => way) : way());
  const upload = () => go({ to: 'upload', state: { interviewId: linkedId } });
  const restart = () => {
    forgetInterview(store.interviewId());
    store.clear();
    go({ to: 'content-selection' });
  };
  if (typeof userId !== 'string' && area.thankYou !== 'test') {
    if (unfinished || userId === undefined) return null;
    return (
      <div>
        <Button variant="secondary" onClick={upload}>
          {linkedId === undefined ? texts.guestAgain : texts.guestMore}
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="secondary" onClick={() => leave(() => go({ to: 'home' }))}>
        {texts.home}
      </Button>
      {area.thankYou === 'test' && (
        <Button variant="secondary" onClick={() => leave(restart)}>
          {texts.newContent}
        </Button>
      )}
      <ConfirmDialog
        open={leaving !== undefined}
        title={texts.unfinished.title}
        description={texts.unfinished.description}
        confirmLabel={texts.unfinished.leave}
        cancelLabel={texts.unfinished.stay}
        onConfirm={() => {
          allowLeaving();
          leaving?.();
        }}
        onCancel={() => setLeaving(undefined)}
      />
    </div>
  );
}
