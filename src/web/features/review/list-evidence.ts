import { collectSources, createEvidence, indexSources } from '#contract/evidence/index.ts';
import { splitMarks } from '#contract/channels.ts';
import type { Review } from '#contract/posts.ts';

export type SupportedSentence = Readonly<{
  text: string;
  verdict: 'quoted' | 'paraphrased' | 'unsupported';
  /** The contributor's words; missing where the sentence has none. */
  quote: Readonly<{ source: string; text: string }> | undefined;
}>;

/** Each sentence of a post with the words it rests on. The nearest words of an unsupported one would only mislead. */
export function listEvidence(body: string, material: Review['sources']): readonly SupportedSentence[] {
  const sources = collectSources(material);
  const sentences = createEvidence(indexSources(sources))(body).filter(({ start, end }) =>
    hasWords(body.slice(start, end)),
  );
  return sentences.map(({ start, end, verdict, places: [place] }) => {
    const source = sources.find(({ id }) => id === place?.source);
    const said = source?.text.slice(place?.start, place?.end).replaceAll(/\s+/g, ' ').trim() ?? '';
    const quote =
      verdict === 'unsupported' || place === undefined || said === ''
        ? undefined
        : { source: place.source, text: said };
    return { text: body.slice(start, end).trim(), verdict, quote };
  });
}

/** Hashtags and links alone say nothing that could rest on anything. */
function hasWords(text: string): boolean {
  return splitMarks(text).some(({ kind, text: part }) => kind === 'text' && /[\p{L}\p{N}]/u.test(part));
}
