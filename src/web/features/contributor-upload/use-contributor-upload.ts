import type { Limits } from '#contract/app-config.ts';
import { CONTRIBUTOR_FILES_MAX } from '#contract/limits.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import { selectFiles, type SelectionProblem } from '#web/submission/file-kind.ts';
import { useFlow } from '#web/submission/flow.ts';
import { numericId } from '#web/submission/local-id.ts';
import { getHeldFiles, holdParts, releaseParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { describeUploadFailure, fileTexts, selectionMessage, shortName } from '#web/submission/texts.ts';
import type { BackendStatusHandle } from '#web/submission/use-backend-status.ts';
import { type ChosenFiles, listStaying, nameChosenFiles, useChosenFiles } from '#web/submission/use-chosen-files.ts';
import { type UploadVerdict, useFileSubmission } from '#web/submission/use-file-submission.ts';
import type { UploadOutcome } from '#web/submission/use-file-upload.ts';
import { useShown } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { type ShowToast, useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

/** The files chosen here, beginning with those that could not be sent for this contribution before. */
export function useContributorFiles(id: string | undefined) {
  const { limits } = useBackendConfig();
  const toast = useToast();
  const chosen = useChosenFiles(`upload:${id ?? ''}`, getHeldFiles(id));
  const take = (added: readonly File[]) => {
    const selected = listStaying(chosen.files, added).map(({ file }) => file);
    const rules = { maxFiles: CONTRIBUTOR_FILES_MAX, kinds: 'images-and-videos', limits } as const;
    const { accepted, problems } = selectFiles(selected, added, rules);
    if (accepted.length > 0) chosen.add(accepted);
    if (problems.length > 0) toast({ ...describeProblems(problems, limits), variant: 'destructive' });
  };
  return { chosen, take };
}

type ContributorUploadOptions = Readonly<{
  chosen: ChosenFiles;
  backendStatus: BackendStatusHandle;
  /** Of the contribution, where there is one already. */
  id: string | undefined;
  adopt: (id: string) => void;
}>;

/** §4 'Contributor upload'. */
export function useContributorUpload({ chosen, backendStatus, id, adopt }: ContributorUploadOptions) {
  const { ensureId } = useSubmission();
  const toast = useToast();
  const leave = useLeave(chosen);
  const arrivedBefore = chosen.files.filter(({ state }) => state === 'done').length;
  const { undelivered, ...submission } = useFileSubmission({
    chosen,
    backendStatus,
    contentId: id,
    ensureId: async () => {
      const content = await ensureId('plain', id);
      adopt(content.id);
      return content;
    },
    whenUnavailable: 'hold',
    phaseAtEnd: 'idle',
    toast,
    messages: { inOutbox: texts.inOutbox, local: { ...texts.local, variant: 'caution' } },
    judge: (outcome, interviewId) => judgeFiles(outcome, interviewId, arrivedBefore, chosen.files.length),
    leave: (interviewId, how) => leave(interviewId, how === 'held' ? 'skipped' : how),
  });
  return {
    ...submission,
    submit: () =>
      chosen.files.length === 0 ? toast({ ...texts.noFiles, variant: 'destructive' }) : void submission.submit(),
    skip: () => leave(id, arrivedBefore > 0 ? 'uploaded' : 'skipped'),
    keepOffered: undelivered && arrivedBefore < chosen.files.length,
  };
}

/** Goes on once all files have arrived; until then holds the others. Says nothing about an upload the user stopped. */
function judgeFiles(
  { stored, failed, left }: UploadOutcome,
  interviewId: string,
  arrivedBefore: number,
  all: number,
): UploadVerdict {
  const arrived = stored.length + arrivedBefore;
  if (failed.length === 0) {
    releaseParts(interviewId);
    return { ending: 'arrived', message: { ...texts.success(arrived), variant: 'good' } };
  }
  holdParts(interviewId, left);
  const ending = failed.includes('unreachable') ? 'unreachable' : 'failed';
  const variant = stored.length > 0 ? 'caution' : 'destructive';
  const otherwise = stored.length > 0 ? fileTexts.partial(arrived, all) : texts.none;
  const stopped = failed.includes('aborted') && !failed.includes('no-bucket') && !failed.includes('refused');
  return { ending, message: stopped ? undefined : { ...describeUploadFailure(failed, otherwise), variant } };
}

/** To the thank-you screen, with the names of the files that the database does not know yet. */
function useLeave({ files, forget }: ChosenFiles) {
  const { go } = useFlow();
  const shown = useShown();
  return (interviewId: string | undefined, how: 'uploaded' | 'kept' | 'skipped') => {
    if (!shown.current) return;
    // A file that was tried stays with this contribution; one that cannot be read any more is dropped.
    const held = getHeldFiles(interviewId).map(({ file }) => file);
    if (files.every(({ file, state }) => state !== 'waiting' || held.includes(file))) forget();
    const tell = how === 'kept' || (how === 'skipped' && numericId(interviewId) === undefined && files.length > 0);
    const about = { uploadSuccess: how === 'uploaded', ...(tell ? { files: nameChosenFiles(files) } : {}) };
    go({ to: 'thank-you', state: { interviewId, ...about } });
  };
}

/** How many refused files a message names; all of a folder would fill ten screens. */
const NAMED = 3;

/** §5's message about the first one, and a line for each file that it does not name. */
function describeProblems(problems: readonly SelectionProblem[], limits: Limits): Parameters<ShowToast>[0] {
  const [first, ...others] = problems;
  if (first === undefined) return fileTexts.wrongType;
  const unnamed = first.type === 'wrong-type' ? problems : others;
  const lines = unnamed.slice(0, NAMED).map((one) => describeReason(one, limits));
  if (unnamed.length > NAMED) lines.push(`${texts.moreRefused} ${unnamed.length - NAMED}`);
  if (problems.some((problem) => problem.type === 'wrong-type' && problem.heic)) lines.push(fileTexts.heic);
  const { title, description } = selectionMessage(first, limits, texts.tooMany);
  return { title, description: [description, ...lines].join('\n') };
}

function describeReason(problem: SelectionProblem, limits: Limits): string {
  if (problem.type !== 'wrong-type') return selectionMessage(problem, limits, texts.tooMany).description;
  return `„${shortName(problem.name)}“ ${texts.unsupported}.`;
}
