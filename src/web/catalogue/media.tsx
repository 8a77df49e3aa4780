import { Mic } from '#web/ui/screen-icons.ts';
import type { ComponentProps, ReactNode } from 'react';
import { FileRow } from '#web/ui/file-row.tsx';
import { LevelMeter } from '#web/ui/level-meter.tsx';
import { PostPreview } from '#web/ui/post-preview.tsx';
import { Timer } from '#web/ui/timer.tsx';
import { Part, Row, Specimen } from './specimen.tsx';
import { samples } from './texts.ts';

const onRemove = (): void => undefined;
const { file, longFile, size, fileError } = samples;

const FILE_ROWS: Readonly<Record<string, ComponentProps<typeof FileRow>>> = {
  waiting: { name: file, size, state: 'waiting', onRemove, preview: '/favicon.svg' },
  'uploading, counted': { name: longFile, size, state: 'uploading', percent: 62, onRemove },
  'uploading, not counted': { name: file, state: 'uploading' },
  done: { name: file, size, state: 'done' },
  'failed, with a reason': { name: longFile, size, state: 'failed', detail: fileError, onRemove },
};

export function Media(): ReactNode {
  return (
    <>
      <Part id="file-row" title="File row" lead="One file on its way; the name is cut, never the state.">
        {Object.entries(FILE_ROWS).map(([name, row]) => (
          <Specimen key={name} name={name}>
            <ul>
              <FileRow {...row} />
            </ul>
          </Specimen>
        ))}
      </Part>
      <Part id="post-preview" title="Post preview" lead="A post as its channel draws it.">
        {(['linkedin', 'instagram', 'x', 'website'] as const).map((channel) => (
          <Specimen key={channel} name={channel}>
            <PostPreview channel={channel} body={samples.post} pictures={[]} author={samples.author} />
          </Specimen>
        ))}
        <Specimen name="an empty draft that needs a picture">
          <PostPreview channel="instagram" body="" pictures={[]} author={samples.author} />
        </Specimen>
      </Part>
      <Part id="level-meter" title="Level meter and timer" lead="The ring answers at once: red while recording.">
        <Specimen name="idle">
          <LevelMeter read={speak} state="idle">
            <Mic className="size-10 text-muted" />
          </LevelMeter>
        </Specimen>
        {(['record', 'accent'] as const).map((tone) => (
          <Specimen key={tone} name={`active, ${tone}`}>
            <LevelMeter read={speak} state="active" tone={tone}>
              <Timer seconds={12} label={samples.duration} />
            </LevelMeter>
          </Specimen>
        ))}
        <Specimen name="paused">
          <LevelMeter read={speak} state="paused">
            <Timer seconds={184} label={samples.duration} />
          </LevelMeter>
        </Specimen>
        <Specimen name="Timer" wide>
          <Row>
            <Timer seconds={7} label={samples.duration} />
            <Timer seconds={3_599} label={samples.duration} className="text-xl" />
          </Row>
        </Specimen>
      </Part>
    </>
  );
}

/** A level as a voice makes it; still where motion is not wanted. */
function speak(): number {
  const seconds = window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 12 : performance.now() / 1_000;
  return Math.abs(Math.sin(seconds * 5.3) * Math.sin(seconds * 1.7)) * 0.9 + 0.06;
}
