import { describe, expect, it } from 'vitest';
import { summarise, transcriptFile } from './contribution.ts';

describe('§2.11 summary', () => {
  it.each<[string | undefined, string | undefined, 'interview' | 'voice']>([
    ['7', 'Interviewer: Hallo\n\nDu: Guten Tag', 'interview'],
    ['7', 'Du: Guten Tag', 'interview'],
    ['7', 'Ich baue Brücken. Du: das ist ein Wort.', 'voice'],
    ['7', undefined, 'voice'],
    ['local_behind_scenes_1_a', undefined, 'interview'],
    ['testnormec_tech_dive_1_a', undefined, 'interview'],
    ['testnormec_voice_1_a', undefined, 'voice'],
    [undefined, undefined, 'voice'],
  ])('id %s with %j is of type %s', (interviewId, transcript, type) => {
    expect(summarise({ interviewId, transcript, files: [] }).type).toBe(type);
  });

  it.each([
    ['video/mp4', 'video'],
    ['application/pdf', 'document'],
    ['image/png', 'image'],
    ['audio/webm', 'voice'],
  ])('a contribution of %s alone is of type %s', (type, expected) => {
    const files = [{ path: '7/x', type }];
    expect(summarise({ interviewId: '7', transcript: undefined, files }).type).toBe(expected);
  });

  it('counts images only, and a blank transcript is none', () => {
    const files = ['image/png', 'text/plain', 'video/mp4', 'image/webp'].map((type) => ({ path: '7/x', type }));
    expect(summarise({ interviewId: '7', transcript: ' ', files })).toMatchObject({ hasTranscript: false, images: 2 });
  });
});

describe('§7 files', () => {
  it('takes the text file that came last as the transcript, also after a clock was set back', () => {
    const text = (time: number) => ({ path: `7/transcript_${time}.txt`, type: 'text/plain' });
    const image = { path: '7/9_a.png', type: 'image/png' };
    expect(transcriptFile([text(1700), text(1800), image])).toEqual(text(1800));
    expect(transcriptFile([text(1800), text(1700), image])).toEqual(text(1700));
    expect(transcriptFile([image])).toBeUndefined();
  });
});
