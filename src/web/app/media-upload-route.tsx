import { lazy, Suspense, type ComponentProps, type ReactNode } from 'react';
import type { DescriptionInterview } from '#web/rooms/interview/index.ts';
import { ImageUploadScreen, VideoUploadScreen } from '#web/rooms/media-upload/index.ts';
import { appTexts } from './texts.ts';

const Interview = lazy(() =>
  import('#web/rooms/interview/index.ts').then((room) => ({ default: room.DescriptionInterview })),
);

/** §2.9: two rooms meet here; the interview is loaded by whoever chooses it. */
function Description(props: ComponentProps<typeof DescriptionInterview>): ReactNode {
  return (
    <Suspense fallback={<p className="text-center text-muted">{appTexts.loadingScreen}</p>}>
      <Interview {...props} />
    </Suspense>
  );
}

export function VideoUploadRoute(): ReactNode {
  return <VideoUploadScreen interview={Description} />;
}

export function ImageUploadRoute(): ReactNode {
  return <ImageUploadScreen interview={Description} />;
}
