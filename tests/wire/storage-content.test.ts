import { expect, test } from 'vitest';
import { onEachStore, PNG } from '#tests/support/storage.ts';

const SCRIPT = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>';
const PDF = '%PDF-1.7\n1 0 obj\n<<>>\nendobj\n';
const WEBM = Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701', 'hex');
const MP4 = Buffer.concat([Buffer.from('00000020667479706d703432000000006d70343269736f6d', 'hex'), Buffer.alloc(40)]);
const WAV = Buffer.concat([Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt ', 'latin1'), Buffer.alloc(40)]);
const OGG = Buffer.concat([
  Buffer.from('OggS\x00\x02', 'latin1'),
  Buffer.alloc(22),
  Buffer.from('OpusHead'),
  Buffer.alloc(40),
]);

/** declared type, content, type it is served as, whether a browser may show it */
const CORPUS: readonly (readonly [string, Buffer | string, string, boolean])[] = [
  ['image/png', PNG, 'image/png', true],
  ['application/pdf', PDF, 'application/pdf', true],
  ['text/plain;charset=UTF-8', 'Transkript', 'text/plain;charset=UTF-8', true],
  ['audio/webm', WEBM, 'audio/webm', true],
  ['audio/webm;codecs=opus', WEBM, 'audio/webm;codecs=opus', true],
  ['video/webm', WEBM, 'video/webm', true],
  ['video/mp4', MP4, 'video/mp4', true],
  ['audio/mp4', MP4, 'audio/mp4', true],
  ['audio/wav', WAV, 'audio/wav', true],
  ['audio/ogg', OGG, 'audio/ogg', true],
  ['text/html', SCRIPT, 'text/plain', false],
  ['TEXT/HTML; charset=utf-8', SCRIPT, 'text/plain', false],
  ['image/svg+xml', SCRIPT, 'image/svg+xml', false],
  ['application/xhtml+xml', SCRIPT, 'text/plain', false],
  ['text/xml', SCRIPT, 'text/xml', false],
  ['application/xml', SCRIPT, 'application/xml', false],
  ['text/javascript', 'alert(1)', 'text/plain', false],
  ['application/javascript', 'alert(1)', 'text/plain', false],
  ['text/css', 'a{}', 'text/plain', false],
  ['application/wasm', Buffer.from('0061736d01000000', 'hex'), 'text/plain', false],
  ['multipart/x-mixed-replace', SCRIPT, 'multipart/x-mixed-replace', false],
  ['application/x-shockwave-flash', 'FWS', 'application/x-shockwave-flash', false],
  ['application/octet-stream', SCRIPT, 'application/octet-stream', false],
  ['not a type', SCRIPT, 'application/octet-stream', false],
  ['image/png', SCRIPT, 'image/png', false],
  ['image/jpeg', `GIF89a/*${SCRIPT}*/`, 'image/jpeg', false],
  ['image/gif', SCRIPT, 'image/gif', false],
  ['application/pdf', SCRIPT, 'application/pdf', false],
  ['video/mp4', SCRIPT, 'video/mp4', false],
  ['audio/webm', PDF, 'audio/webm', false],
  ['image/webp', PDF, 'image/webp', false],
];

const CASES = CORPUS.map(([declared, content, served, shown], index) => ({ declared, content, served, shown, index }));

onEachStore((stage) => {
  test.each(CASES)('threat 8: $index $declared is served as $served, shown in the browser: $shown', async (given) => {
    const { server, service } = stage();
    const { declared, content, served, shown } = given;
    const form = new FormData();
    form.append('contentType', declared);
    form.append('', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]));
    const name = `file-${given.index}`;
    expect((await service.storage.from('public').upload(name, form)).error).toBeNull();
    const { data } = await service.storage.from('public').info(name);
    expect(data?.contentType).toBe(declared);
    for (const place of [`public/public/${name}`, `public/${name}`]) {
      const answer = await fetch(`${server.url}/storage/v1/object/${place}`);
      await answer.arrayBuffer();
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': served,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
      });
      expect(answer.headers.get('content-disposition')).toBe(shown ? null : 'attachment');
    }
  });
});
