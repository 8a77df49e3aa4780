import { expect, test } from 'vitest';
import { formatCaptions } from './media.tsx';

test('Each sentence is shown until the next one, and its text cannot end the cue (0265)', () => {
  const captions = formatCaptions([
    { start: 0.5, text: 'Die Pumpe\nläuft.' },
    { start: 3_723.25, text: '1 <b> --> 2 & 3' },
  ]);
  expect(captions).toBe(
    'WEBVTT\n\n00:00:00.500 --> 01:02:03.250\nDie Pumpe läuft.\n\n' +
      '01:02:03.250 --> 01:02:11.250\n1 &lt;b&gt; --&gt; 2 &amp; 3\n',
  );
});
