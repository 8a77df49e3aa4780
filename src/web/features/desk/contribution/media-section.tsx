import { clsx } from 'clsx';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { DeskContribution } from '#contract/desk.ts';
import { useBackend } from '#web/backend/client.ts';
import { signMedia } from '#web/backend/media.ts';
import { SectionCard } from '#web/ui/card.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { PictureViewer, type Picture } from './picture-viewer.tsx';
import { Player } from '#web/ui/player/player.tsx';
import { DownloadFailure, useDownloads } from '../use-desk.tsx';
import type { Players } from './players.tsx';
import { downloadPath, type StoredFile } from './stored-files.ts';
import { contributionTexts as texts } from './texts.ts';

type MediaSectionProps = Readonly<{
  files: readonly StoredFile[];
  media: MediaUrls;
  players: Players;
  contribution: Pick<DeskContribution, 'id' | 'contributor'>;
}>;

/** Shows players and pictures first, because they are the material. */
export function MediaSection({ files, media, players, contribution }: MediaSectionProps): ReactNode {
  if (media.failed && files.some(isShown)) {
    return <Notice tone="error" live title={texts.filesUnreachable} />;
  }
  if (media.urls === undefined) return <Waiting files={files.filter(isAwaited)} />;
  const shown = files.flatMap((stored) => {
    const url = media.urls?.get(stored.file.path);
    return url === undefined ? [] : [{ stored, url }];
  });
  const pictures = shown.filter(({ stored }) => stored.use === 'picture');
  return (
    <>
      <Recordings shown={shown} players={players} renew={media.renew} contribution={contribution.id} />
      {pictures.length > 0 && (
        <SectionCard title={texts.pictures}>
          <Gallery
            pictures={pictures.map(({ stored, url }) => ({ url, name: texts.fileName(stored) }))}
            contributor={contribution.contributor}
          />
        </SectionCard>
      )}
    </>
  );
}

/** Keeps the place of what comes, so that the words below do not move when it is there. */
function Waiting({ files }: Pick<MediaSectionProps, 'files'>): ReactNode {
  const pictures = files.filter(({ use }) => use === 'picture');
  const recordings = files.filter(({ use }) => use !== 'picture');
  return (
    <>
      {recordings.length > 0 && (
        <SectionCard title={texts.recordings}>
          <div className="flex flex-col gap-5">
            {recordings.map(({ file, use }) => (
              <Skeleton key={file.id} className={use === 'audio' ? 'h-31.25 w-full' : 'aspect-video w-full'} />
            ))}
          </div>
        </SectionCard>
      )}
      {pictures.length > 0 && (
        <SectionCard title={texts.pictures}>
          <div className={GALLERY}>
            {pictures.map(({ file }) => (
              <Skeleton key={file.id} className="aspect-4/3 w-full rounded-control!" />
            ))}
          </div>
        </SectionCard>
      )}
    </>
  );
}

const GALLERY = 'grid grid-cols-2 gap-3 sm:grid-cols-3';

type Shown = Readonly<{ stored: StoredFile; url: string }>;

type RecordingsProps = Readonly<{
  shown: readonly Shown[];
  players: Players;
  renew: MediaUrls['renew'];
  contribution: number;
}>;

function Recordings({ shown, players, renew, contribution }: RecordingsProps): ReactNode {
  const downloads = useDownloads((server, path) => server.ticket(path));
  const playable = shown.flatMap(({ stored, url }) =>
    stored.use === 'audio' || stored.use === 'video'
      ? [{ stored, url, kind: stored.use, path: downloadPath(contribution, stored) }]
      : [],
  );
  if (playable.length === 0) return null;
  return (
    <SectionCard title={texts.recordings}>
      <ul className="flex flex-col gap-5">
        {playable.map(({ stored, url, kind, path }) => (
          <li key={stored.file.id}>
            {playable.length > 1 && <p className="mb-2 text-sm text-muted">{texts.fileName(stored)}</p>}
            <Player
              kind={kind}
              src={url}
              name={texts.fileName(stored)}
              size={stored.file.size ?? 0}
              sentences={players.spoken.get(stored.file.path)}
              register={players.register(stored.file.path)}
              onLength={(seconds) => players.setDuration(stored.file.path, seconds)}
              renew={renew}
              onDownload={() => downloads.download(path)}
            />
            <DownloadFailure of={downloads} keys={[path]} />
          </li>
        ))}
      </ul>
    </SectionCard>
  );
}

function Gallery({
  pictures,
  contributor,
}: Readonly<{ pictures: readonly Picture[]; contributor: string }>): ReactNode {
  const [open, setOpen] = useState<number>();
  return (
    <>
      <ul className={GALLERY}>
        {pictures.map((picture, index) => (
          <li key={picture.name}>
            <Thumbnail picture={picture} onOpen={() => setOpen(index)} />
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <PictureViewer
          pictures={pictures}
          contributor={contributor}
          index={open}
          onGo={setOpen}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

function Thumbnail({ picture, onOpen }: Readonly<{ picture: Picture; onOpen: () => void }>): ReactNode {
  const [broken, setBroken] = useState<string>();
  const { url, name } = picture;
  if (broken === url) {
    return (
      <div
        className={clsx(
          'flex aspect-4/3 flex-col items-center justify-center gap-1 rounded-control border border-dashed',
          'border-line-strong p-3 text-center text-sm',
        )}
      >
        <span className="font-medium">{name}</span>
        <span className="text-muted">{texts.notShowable}</span>
      </div>
    );
  }
  return (
    <button
      type="button"
      aria-label={texts.viewer.open(name)}
      onClick={onOpen}
      className={clsx(
        'group block w-full overflow-hidden rounded-control border border-line bg-sunken transition-colors',
        'hover:border-accent',
      )}
    >
      <img
        src={url}
        alt=""
        loading="lazy"
        onError={() => setBroken(url)}
        className="aspect-4/3 w-full object-cover transition-transform group-hover:scale-[1.02]"
      />
    </button>
  );
}

/** Validity of the signed addresses; renewed where the page was left for long, which would interrupt a player. */
const SECONDS = 6 * 60 * 60;
const FRESH_MS = (SECONDS * 1_000) / 2;

/** Also where the clock of the device was set back. */
const isOld = (signedAt: number): boolean => Math.abs(Date.now() - signedAt) >= FRESH_MS;

type MediaUrls = ReturnType<typeof useMediaUrls>;

const NONE: ReadonlyMap<string, string> = new Map();

const isShown = ({ use }: StoredFile): boolean => use === 'audio' || use === 'video' || use === 'picture';
const isAwaited = (one: StoredFile): boolean => one.presence === 'stored' && isShown(one);

/**
 * Signs addresses of what is played and shown, by path, so that the browser fetches only the parts it plays or shows. A
 * file without an address is missing from the store. `renew` signs them again.
 */
export function useMediaUrls(files: readonly StoredFile[]) {
  const backend = useBackend();
  const paths = files.filter(isAwaited).map(({ file }) => file.path);
  const signed = useRef(NONE);
  const signedAt = useRef(0);
  const {
    data: urls,
    isLoadingError: failed,
    refetch: renew,
  } = useQuery({
    queryKey: ['desk', 'media', paths],
    queryFn: async ({ client, queryKey }) => {
      // A further file leaves the addresses of the others: another one would stop a player.
      const kept = client.getQueryData(queryKey) === undefined && !isOld(signedAt.current) ? signed.current : NONE;
      const others = paths.filter((path) => !kept.has(path));
      const added = await signMedia(backend, others, SECONDS);
      if (kept === NONE) signedAt.current = Date.now();
      return new Map([...kept, ...added]);
    },
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchOnWindowFocus: true,
  });
  useEffect(() => {
    signed.current = urls ?? NONE;
  }, [urls]);
  // A page that is always seen is never shown again: a picture that it loads after hours finds its address expired.
  useEffect(() => {
    const onError = ({ target }: Event): void => {
      if (target instanceof HTMLImageElement && isOld(signedAt.current)) void renew({ cancelRefetch: false });
    };
    window.addEventListener('error', onError, true);
    return () => window.removeEventListener('error', onError, true);
  }, [renew]);
  return { urls, failed, renew };
}
