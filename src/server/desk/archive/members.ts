/** What goes into an archive, in this order. */
export type Member = TextMember | FileMember;

export type TextMember = Readonly<{ kind: 'text'; name: string; content: Iterable<string> | AsyncIterable<string> }>;

export type FileMember = Readonly<{
  kind: 'file';
  name: string;
  /** MIME type: what shrinks is deflated. */
  type: string;
  /** Where the store hands it out; undefined where it knows of none. */
  url: string | undefined;
}>;
