/** A mail in paragraphs, which may have lines. `button` and `code` stand between `paragraphs` and `closing`. */
export type Wording = Readonly<{
  subject: string;
  paragraphs: readonly string[];
  /** Whether addresses in the paragraphs become links; not in paragraphs with a stranger's words. */
  linked?: boolean;
  button?: Readonly<{ label: string; link: string }> | undefined;
  code?: Readonly<{ label: string; value: string }> | undefined;
  closing: readonly string[];
}>;

/** Texts of a person are escaped: they come from outside. */
export function renderWording(wording: Wording): Readonly<{ subject: string; text: string; html: string }> {
  return { subject: wording.subject, text: renderText(wording), html: renderHtml(wording) };
}

function renderText({ paragraphs, button, code, closing }: Wording): string {
  const link = button === undefined ? [] : [`${button.label}:\n${button.link}`];
  const digits = code === undefined ? [] : [`${code.label}: ${code.value}`];
  return `${[...paragraphs, ...link, ...digits, ...closing].join('\n\n')}\n`;
}

// With its own background the text stays readable in a dark mail program.
const BODY =
  'font-family:sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a;background:#ffffff;max-width:36em;' +
  'overflow-wrap:anywhere';
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none';
const SMALL = 'color:#5a5a5a;font-size:14px';

function renderHtml({ paragraphs, linked = false, button, code, closing }: Wording): string {
  return [
    '<!doctype html><html lang="de"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<body style="${BODY}">`,
    ...paragraphs.map((text) => `<p>${linked ? renderLinks(text) : renderLines(text)}</p>`),
    ...(button === undefined ? [] : renderButton(button)),
    ...(code === undefined ? [] : [`<p>${escapeHtml(code.label)}: <strong>${escapeHtml(code.value)}</strong></p>`]),
    ...closing.map((text) => `<p style="${SMALL}">${renderLines(text)}</p>`),
    '</body></html>',
  ].join('\n');
}

function renderButton({ label, link }: NonNullable<Wording['button']>): string[] {
  return [
    `<p><a href="${escapeHtml(link)}" style="${BUTTON}">${escapeHtml(label)}</a></p>`,
    `<p style="${SMALL}">${escapeHtml(link)}</p>`,
  ];
}

function renderLines(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>\n');
}

/** An address in a text, without the signs that end a sentence or brackets around it. */
const ADDRESS =
  /(https?:\/\/(?:\([^\s<>"()]*\)|[^\s<>"\u201e\u201c()])*(?:\([^\s<>"()]*\)|[^\s<>"\u201e\u201c().,;:!?']))/;

/** Some programs make no links of addresses in HTML. */
function renderLinks(text: string): string {
  const link = (address: string): string => `<a href="${escapeHtml(address)}">${escapeHtml(address)}</a>`;
  return text
    .split(ADDRESS)
    .map((part, place) => (place % 2 === 1 ? link(part) : renderLines(part)))
    .join('');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Also removes control characters and marks that change the direction of a text. */
export function shortenLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.replace(/(?<=^.{80}).+/u, '…');
}
