import type { Letter } from '../post.ts';
import type { QueuedMail } from './queue.ts';
import { digestWording, WORDINGS, type Wording } from './texts.ts';

export type LetterPlace = Readonly<{
  /** Under which users reach the application. */
  origin: string;
  product: string;
}>;

const NAME_MOST = 80;

/** What is in names and texts came from outside: one line in headers, escaped in HTML, cut where a subject would not end. */
export function letterOf(mail: QueuedMail, { origin, product }: LetterPlace): Letter {
  const facts = {
    ...mail,
    contributor: shortLine(mail.contributor),
    firstName: shortLine(mail.firstName ?? ''),
    product,
  };
  const inbox = `${origin}/admin/eingang`;
  const given = (mail.text ?? '').replaceAll(/\r\n?/g, '\n').trim();
  const wording =
    mail.count > 1
      ? digestWording({ listed: [mail, ...mail.others], count: mail.count, product, inbox })
      : WORDINGS[mail.mail](facts, given, `${inbox}/${mail.contribution}`);
  return {
    id: mail.messageId,
    at: mail.createdAt,
    to: mail.to,
    ...(mail.replyTo === null ? {} : { replyTo: mail.replyTo }),
    subject: wording.subject,
    text: plain(wording),
    html: html(wording),
  };
}

function plain({ paragraphs, button, closing }: Wording): string {
  const link = button === undefined ? [] : [`${button.label}:\n${button.link}`];
  return `${[...paragraphs, ...link, ...closing].join('\n\n')}\n`;
}

const BODY = 'font-family:sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a;max-width:36em';
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#1d4ed8;color:#ffffff;text-decoration:none';
const SMALL = 'color:#5a5a5a;font-size:14px';

function html({ paragraphs, button, closing }: Wording): string {
  const link =
    button === undefined
      ? []
      : [
          `<p><a href="${escaped(button.link)}" style="${BUTTON}">${escaped(button.label)}</a></p>`,
          `<p style="${SMALL}">${escaped(button.link)}</p>`,
        ];
  return [
    '<!doctype html><html lang="de"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<body style="${BODY}">`,
    ...paragraphs.map((text) => `<p>${lines(text)}</p>`),
    ...link,
    ...closing.map((text) => `<p style="${SMALL}">${lines(text)}</p>`),
    '</body></html>',
  ].join('\n');
}

function lines(text: string): string {
  return escaped(text).replaceAll('\n', '<br>\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Also without what turns the direction of a text or hides in it. */
function shortLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > NAME_MOST ? `${line.slice(0, NAME_MOST)}…` : line;
}
