import { useState, type ReactNode } from 'react';
import { findChannel } from '#contract/channels.ts';
import type { Review } from '#contract/posts.ts';
import { laterPart } from '#web/backend/later-part.ts';
import { downloadBlob } from '#web/submission/file-name.ts';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { CircleCheck } from '#web/ui/icons.tsx';
import { Download } from '#web/ui/screen-icons.ts';
import { texts } from './texts.ts';

type DoneProps = Readonly<{ review: Review; loadPictures: () => Promise<ReadonlyMap<string, string>> }>;

/** Once everything is answered: texts and pictures for the contributor's own use. */
export function Done({ review, loadPictures }: DoneProps): ReactNode {
  return (
    <section className="rounded-card bg-good-wash p-5 sm:p-6">
      <h2 className="flex items-start gap-2.5 text-xl font-semibold [overflow-wrap:anywhere]">
        <CircleCheck className="mt-0.5 size-6 shrink-0 text-good-ink" />
        {texts.done.title(review.firstName)}
      </h2>
      <p className="mt-2 max-w-measure">{texts.done.text}</p>
      <ul className="mt-4 flex flex-col divide-y divide-line border-y border-line">
        {review.posts.map(({ id, channel, body }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-3 py-1">
            <span className="font-medium">{findChannel(channel)?.name ?? channel}</span>
            <CopyButton
              variant="quiet"
              text={body}
              label={texts.done.copy}
              of={findChannel(channel)?.name ?? channel}
              failed={texts.done.copyFailed}
            />
          </li>
        ))}
      </ul>
      <DownloadAll review={review} loadPictures={loadPictures} />
    </section>
  );
}

function DownloadAll({ review, loadPictures }: DoneProps): ReactNode {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const download = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { packReview } = await loadPacking();
      const { zip, missing } = await packReview(review.posts, await loadPictures());
      downloadBlob(zip, 'meine-posts.zip');
      if (missing > 0) setProblem(texts.done.missing(missing));
    } catch {
      setProblem(texts.done.failed);
    }
    setBusy(false);
  };
  return (
    <div className="mt-5 flex flex-col items-start gap-2">
      <Button
        variant="secondary"
        icon={Download}
        busy={busy}
        busyLabel={texts.done.downloading}
        onClick={() => void download()}
      >
        {texts.done.download}
      </Button>
      <output className="text-sm">{problem ?? texts.done.downloadHint}</output>
    </div>
  );
}

const loadPacking = laterPart('pack-review', () => import('./pack-review.ts'));
