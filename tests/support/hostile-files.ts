/** A file that would like to run something: its name, the type it claims to have, what it really is. */
export type HostileFile = Readonly<{ name: string; type: string; content: Buffer }>;

/** What each of them calls. A test puts `canary` into every page; a script that calls it has run. */
const CALL = "try{canary(document.URL)}catch(e){};new Image().src='/canary'";
const SCRIPT = `<script>${CALL}</script>`;
const HTML = `<!doctype html><html><body onload="${CALL}">${SCRIPT}<img src=x onerror="${CALL}"></body></html>`;
const XLINK = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

const SVG = {
  onload: `<svg ${XLINK} onload="${CALL}"/>`,
  script: `<?xml version="1.0"?><svg ${XLINK}><script>${CALL}</script></svg>`,
  foreign: `<svg ${XLINK}><foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml" onload="${CALL}">${SCRIPT}</body></foreignObject></svg>`,
  animate: `<svg ${XLINK}><animate onbegin="${CALL}" attributeName="x" dur="1s"/></svg>`,
  link: `<svg ${XLINK}><a xlink:href="javascript:${CALL}"><text y="20">x</text></a><script xlink:href="data:text/javascript,${encodeURIComponent(CALL)}"/></svg>`,
  handler: `<svg ${XLINK}><handler xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="load">${CALL}</handler><set onbegin="${CALL}" attributeName="x"/></svg>`,
} as const;

const XHTML = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body onload="${CALL}"><script>${CALL}</script></body></html>`;
const XSLT = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><x xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:stylesheet id="s" version="1.0"><xsl:template match="/"><html>${SCRIPT.replaceAll('&', '&amp;')}</html></xsl:template></xsl:stylesheet></x>`;
const ENTITIES = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><html xmlns="http://www.w3.org/1999/xhtml"><script>${CALL}</script>&e;</html>`;
const PDF = `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\);${CALL.replaceAll('(', '\\(').replaceAll(')', '\\)')})>>>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF`;

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** Beginnings of harmless kinds, so that a markup behind them is a polyglot. */
const HEADS = {
  gif: Buffer.from('GIF89a/*'),
  jpeg: bytes('ffd8ffe000104a46494600010100000100010000fffe0200'),
  png: PNG,
  webp: Buffer.concat([Buffer.from('RIFF'), bytes('ff000000'), Buffer.from('WEBPVP8 ')]),
  bmp: Buffer.from('BM'),
  ico: bytes('00000100'),
  mp4: bytes('00000018667479706d703432000000006d70343269736f6d'),
  webm: bytes('1a45dfa39f4286810142f7810142f2810442f381084282847765626d'),
  wav: Buffer.concat([Buffer.from('RIFF'), bytes('ff000000'), Buffer.from('WAVEfmt ')]),
  ogg: Buffer.from('OggS'),
  mp3: Buffer.from('ID3'),
  zip: bytes('504b0304'),
  doc: bytes('d0cf11e0a1b11ae1'),
  pdf: Buffer.from('%PDF-1.4\n'),
  flash: Buffer.from('FWS'),
  wasm: bytes('0061736d01000000'),
} as const;

function polyglot(head: keyof typeof HEADS, tail: string): Buffer {
  return Buffer.concat([HEADS[head], Buffer.from(tail)]);
}

const text = (content: string): Buffer => Buffer.from(content);
const row = (name: string, type: string, content: Buffer | string): HostileFile => ({
  name,
  type,
  content: typeof content === 'string' ? text(content) : content,
});

/** What is what it says: documents that browsers run. */
const HONEST: readonly HostileFile[] = [
  ...Object.entries(SVG).map(([kind, content]) => row(`${kind}.svg`, 'image/svg+xml', content)),
  row('seite.html', 'text/html', HTML),
  row('seite.htm', 'TEXT/HTML; charset=utf-8', HTML),
  row('seite.xhtml', 'application/xhtml+xml', XHTML),
  row('umwandlung.xml', 'text/xml', XSLT),
  row('umwandlung.xsl', 'application/xslt+xml', XSLT),
  row('einheiten.xml', 'application/xml', ENTITIES),
  row(
    'formel.mml',
    'application/mathml+xml',
    `<math xmlns="http://www.w3.org/1998/Math/MathML" href="javascript:${CALL}"><mi>x</mi></math>`,
  ),
  row('daten.rdf', 'application/rdf+xml', XHTML),
  row('feed.atom', 'application/atom+xml', XHTML),
  row('skript.js', 'text/javascript', CALL),
  row('modul.mjs', 'application/javascript', CALL),
  row('stil.css', 'text/css', `body{background:url("javascript:${CALL}")}`),
  row('film.swf', 'application/x-shockwave-flash', polyglot('flash', HTML)),
  row('programm.wasm', 'application/wasm', polyglot('wasm', HTML)),
  row('brief.eml', 'message/rfc822', `Content-Type: text/html\r\n\r\n${HTML}`),
  row('archiv.mhtml', 'multipart/related; boundary=b', `--b\r\nContent-Type: text/html\r\n\r\n${HTML}\r\n--b--`),
  row('strom', 'multipart/x-mixed-replace; boundary=b', `--b\r\nContent-Type: text/html\r\n\r\n${HTML}\r\n--b--`),
  row('makro.pdf', 'application/pdf', PDF),
];

/** What is not what it says. */
const LIARS: readonly HostileFile[] = [
  ...(
    [
      'image/png',
      'image/jpeg',
      'image/gif',
      'image/webp',
      'image/bmp',
      'image/avif',
      'video/mp4',
      'video/webm',
      'audio/webm',
      'audio/mpeg',
      'application/pdf',
      'application/msword',
      'application/octet-stream',
      'text/plain',
    ] as const
  ).map((type) => row(`seite.${type.split('/')[1]}`, type, HTML)),
  row('bild.png', 'image/png', SVG.script),
  row('bild.jpg', 'image/jpeg', SVG.onload),
  row('bild.webp', 'image/webp', XHTML),
  row('bericht.txt', 'text/plain', `\uFEFF  \n<!-- -->${HTML}`),
  row('bericht7.txt', 'text/plain; charset=utf-7', '+ADw-script+AD4-canary()+ADw-/script+AD4-'),
  row('bericht16.txt', 'text/plain', Buffer.from(`\uFEFF${HTML}`, 'utf16le')),
  row('bericht.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', polyglot('zip', HTML)),
  row('bericht.doc', 'application/msword', polyglot('doc', HTML)),
];

/** What is two things at once. */
const POLYGLOTS: readonly HostileFile[] = [
  row('bild.gif', 'image/gif', polyglot('gif', `*/=1;${CALL}//${HTML}`)),
  row('bild2.gif', 'text/javascript', polyglot('gif', `*/=1;${CALL}`)),
  row('foto.jpg', 'image/jpeg', polyglot('jpeg', HTML)),
  row('foto2.jpg', 'text/html', polyglot('jpeg', HTML)),
  row('foto.png', 'image/png', polyglot('png', HTML)),
  row('foto2.png', 'image/svg+xml', polyglot('png', SVG.script)),
  row('foto.webp', 'image/webp', polyglot('webp', HTML)),
  row('foto.bmp', 'image/bmp', polyglot('bmp', HTML)),
  row('favicon.ico', 'image/x-icon', polyglot('ico', HTML)),
  row('film.mp4', 'video/mp4', polyglot('mp4', HTML)),
  row('film.webm', 'video/webm', polyglot('webm', HTML)),
  row('ton.wav', 'audio/wav', polyglot('wav', HTML)),
  row('ton.ogg', 'audio/ogg', polyglot('ogg', HTML)),
  row('ton.mp3', 'audio/mpeg', polyglot('mp3', HTML)),
  row('bericht.pdf', 'application/pdf', polyglot('pdf', HTML)),
  row('bericht2.pdf', 'text/html', polyglot('pdf', HTML)),
];

/** Types and names that want to be read in two ways. */
const TWISTED: readonly HostileFile[] = [
  row('bild.png.html', 'image/png, text/html', HTML),
  row('bild.svg.png', 'image/png; image/svg+xml', SVG.script),
  row('ohne-endung', '', HTML),
  row('kein-typ.html', 'kein Typ', HTML),
  row('leerzeichen.svg', ' image/svg+xml ', SVG.onload),
  row('gross.svg', 'IMAGE/SVG+XML', SVG.script),
  row('zeichensatz.html', 'text/html;charset="utf-7"', '+ADw-script+AD4-canary()+ADw-/script+AD4-'),
];

export const HOSTILE_FILES: readonly HostileFile[] = [...HONEST, ...LIARS, ...POLYGLOTS, ...TWISTED];

/** A page that really runs, to show that the canary sings. */
export const LIVE_PAGE = HTML;
