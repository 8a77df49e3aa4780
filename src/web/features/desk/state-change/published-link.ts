const MOST = 2_000;

/** A link somebody typed or pasted, as the address it is; nothing where it is none of the web. */
export function publishedLink(typed: string): string | undefined {
  const text = typed.trim();
  if (!URL.canParse(text) || text.length > MOST) return undefined;
  const { protocol, hostname, href } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && hostname.includes('.') ? href : undefined;
}
