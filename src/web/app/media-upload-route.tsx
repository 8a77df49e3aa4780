import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import type { DescriptionInterview } from '#web/features/interview/index.tsx';
import { ImageUploadScreen, VideoUploadScreen } from '#web/features/media-upload/index.tsx';
import { appTexts } from './texts.ts';

const Interview = lazy(() =>
  import('#web/features/interview/index.tsx').then((feature) => ({ default: feature.DescriptionInterview })),
);

/** §2.9: joins two features; the interview is loaded when it is chosen. */
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
