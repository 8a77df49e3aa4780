import type { Source } from './sources.ts';

/** The material of a contribution, as the desk and the review page have it. */
export type Material = Readonly<{
  transcript: string;
  /** Answers to the W-questions by question. */
  answers: Readonly<Record<string, string>>;
  files?: readonly string[];
  /** Alternative texts of pictures, by upload. */
  alternatives?: Readonly<Record<string, string>>;
}>;

/**
 * The sources of a contribution: what the contributor said, never what the interviewer asked. Turns stay where they are
 * in the transcript, so that a place is a place there.
 */
export function collectSources({ transcript, answers, files = [], alternatives = {} }: Material): Source[] {
  return [
    { id: 'transcript', text: blankInterviewer(transcript) },
    ...Object.entries(answers).map(([question, text]) => ({ id: `answer:${question}`, text })),
    ...files.map((name) => ({ id: `file:${name}`, text: name.replaceAll(/[_-]|\.\w+$/g, ' ') })),
    ...Object.entries(alternatives).map(([upload, text]) => ({ id: `alternative:${upload}`, text })),
  ].filter(({ text }) => text.trim() !== '');
}

/** A line without a speaker goes on with the one before, as in `parseTurns`. Labels and foreign lines become spaces. */
function blankInterviewer(transcript: string): string {
  let speaks = true;
  return transcript
    .split(/(\n\n)/)
    .map((line) => {
      const [label = ''] = /^(?:Interviewer|Du): /.exec(line) ?? [];
      if (label !== '') speaks = label === 'Du: ';
      const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
      return speaks ? blank(label) + line.slice(label.length) : blank(line);
    })
    .join('');
}
