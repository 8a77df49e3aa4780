import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ErasureReceipt } from '#contract/desk-files.ts';
import type { DeskContribution, DeskEvent } from '#contract/desk.ts';
import type { PostState } from '#contract/posts.ts';
import { STUB_USER } from '#tests/support/web/stub-server.ts';
import { freezeTime, pass, resumeTime, waitForState } from '#tests/support/web/render-flow.tsx';
import { deskContribution, deskItem, deskPage, deskPost } from '#tests/support/web/desk-items.ts';
import {
  onWideScreen,
  passRounds,
  refusal,
  renderDesk,
  unreachable,
  type DeskAnswers,
} from '#tests/support/web/render-desk.tsx';
import { ContributionScreen } from './index.tsx';

afterEach(() => {
  localStorage.clear();
  resumeTime();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const open = (facts: Partial<DeskContribution> = {}, answers: DeskAnswers = {}, address = '?suche=7') =>
  renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    address,
    answers: {
      desk_contribution: () => deskContribution(facts),
      desk_inbox: () => deskPage([deskItem({ id: 8 }), deskItem({ id: 7 }), deskItem({ id: 6 })]),
      ...answers,
    },
  });
const heading = () => screen.findByRole('heading', { level: 1, name: 'Ada Lovelace' });
const RECEIPT: ErasureReceipt = {
  id: 'Q-1',
  at: '2026-11-21T10:00:00Z',
  by: STUB_USER.id,
  what: 'contribution',
  contributions: 1,
  files: 2,
  turns: 0,
  feedback: 0,
  events: 0,
  mails: 0,
  accounts: 0,
};

const deskPosts = (state: PostState) => ({ posts: [deskPost({ state })], link: null, mailWaiting: false });

describe('Desk: contribution screen', () => {
  it('Shows facts, answers and contact, and renders all input as text', async () => {
    open({
      transcript: '<script>alert(1)</script>',
      answers: { who: 'Das Team', what: '=1+1', when: '', where: 'Halle 3', why: '<b>Darum</b>' },
      contributorEmail: 'a?cc=b@beispiel.test',
    });
    await heading();
    expect(screen.getByText('<script>alert(1)</script>')).toBeTruthy();
    expect(screen.getByText('=1+1')).toBeTruthy();
    expect(screen.getByText('Nicht beantwortet')).toBeTruthy();
    const mail = screen.getByRole('link', { name: 'E-Mail an a?cc=b@beispiel.test schreiben' });
    expect(mail.getAttribute('href')).toBe('mailto:a%3Fcc%3Db@beispiel.test');
  });

  it('Says that an erased contribution does not exist', async () => {
    open({}, { desk_contribution: () => refusal(404, 'PT404') });
    expect(await screen.findByRole('heading', { name: 'Diesen Beitrag gibt es nicht' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Zum Eingang' }).getAttribute('href')).toBe('/admin/eingang?suche=7');
  });

  it('Offers a retry when the server is unreachable', async () => {
    let away = true;
    const { user } = open({}, { desk_contribution: () => (away ? unreachable() : deskContribution()) });
    expect(await screen.findByRole('heading', { name: 'Der Beitrag konnte nicht geladen werden' })).toBeTruthy();
    away = false;
    await user.click(screen.getByRole('button', { name: 'Erneut versuchen' }));
    await heading();
  });

  it('Links the neighbours of the originating list, also by key', async () => {
    const { user, place } = open({}, {}, '?suche=neben');
    const next = await screen.findByRole('link', { name: /^Nächster Beitrag/ });
    expect(next.getAttribute('href')).toBe('/admin/eingang/6?suche=neben');
    expect(screen.getByRole('link', { name: /^Vorheriger Beitrag/ }).getAttribute('href')).toBe(
      '/admin/eingang/8?suche=neben',
    );
    await user.keyboard('u');
    expect(place()).toBe('/admin/eingang?suche=neben');
    await user.keyboard('j');
    expect(place()).toBe('/admin/eingang/6?suche=neben');
  });

  it('Marks an unfinished contribution and names its account', async () => {
    open({ finished: false, firstName: null, lastName: null, contributor: '', contributorEmail: null });
    expect(await screen.findByRole('heading', { level: 1, name: 'Ohne Namen' })).toBeTruthy();
    expect(screen.getByText('Unvollständig')).toBeTruthy();
    expect(screen.getByText('Ohne Anmeldung eingereicht.')).toBeTruthy();
    expect(screen.queryByText('Abgeschlossen') ?? screen.queryByRole('link', { name: /schreiben$/ })).toBeNull();
  });
});

describe('Desk: transcript and turn log', () => {
  const turns = [
    { conversation: 'a', position: 0, speaker: 'agent', content: 'Was?', at: '2026-11-20T10:00:00Z' },
    { conversation: 'a', position: 1, speaker: 'user', content: '<i>Das</i>', at: '2026-11-20T10:00:07Z' },
    { conversation: 'b', position: 0, speaker: 'agent', content: 'Weiter?', at: '2026-11-20T11:00:00Z' },
  ] as const;

  it('Shows both side by side on a wide screen', async () => {
    onWideScreen();
    open({ turns: [...turns] });
    await heading();
    expect(screen.queryByRole('tablist')).toBeNull();
    const log = screen.getByRole('region', { name: /^Gespräch 1/ });
    expect(
      within(log)
        .getAllByRole('listitem')
        .map((turn) => turn.textContent),
    ).toEqual(['Interviewer00:00Was?', 'Ada Lovelace00:07<i>Das</i>']);
    expect(screen.getByRole('region', { name: /^Gespräch 2/ }).textContent).toContain('Weiter?');
    expect(screen.getByText(/Eine Prüfmaschine\./)).toBeTruthy();
  });

  it('Shows both in tabs on a phone', async () => {
    const { user } = open({ turns: [...turns] });
    await heading();
    expect(screen.queryByText('Was?')).toBeNull();
    await user.click(screen.getByRole('tab', { name: 'Gespräch' }));
    expect(screen.getByText('Was?')).toBeTruthy();
    await user.keyboard('{ArrowLeft}');
    expect(screen.getByText(/Eine Prüfmaschine\./)).toBeTruthy();
  });

  it('Says why there is no transcript', async () => {
    open({ transcript: ' ', finished: false });
    expect(await screen.findByText('Kein Transkript')).toBeTruthy();
    expect(screen.getByText(/^Auch eine Aufnahme ist nicht da/)).toBeTruthy();
    expect(screen.getByText(/Vielleicht kommt der Text noch\.$/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Aufnahme anhören' })).toBeNull();
  });

  it('Plays the recording of a contribution without a transcript (§8, D21)', async () => {
    const path = '7/1_ton.webm';
    const played = vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
    HTMLElement.prototype.scrollIntoView = () => undefined;
    const { user } = open(
      {
        kind: 'voice_message',
        transcript: null,
        fileList: [{ id: 1, path, type: 'audio/webm', size: 9, createdAt: '2026-11-20T10:00:00Z' }],
      },
      {
        'POST /storage/v1/object/sign/Media': () => [{ error: null, path, signedURL: '/object/sign/Media/x?token=t' }],
      },
    );
    expect(await screen.findByText(/Was gesagt wurde, hörst du in der Aufnahme\.$/)).toBeTruthy();
    expect(screen.queryByText(/noch nicht abgeschlossen/)).toBeNull();
    const group = await screen.findByRole('group', { name: 'Aufnahme 1 (WEBM)' });
    const player = group.querySelector('audio') ?? expect.fail('no recording');
    Object.defineProperty(player, 'duration', { value: 12 });
    fireEvent.loadedMetadata(player);
    await user.click(screen.getByRole('button', { name: 'Aufnahme anhören' }));
    expect(played.mock.contexts).toEqual([player]);
  });

  it('Mentions no transcript for kinds without speech', async () => {
    open({ transcript: null, kind: 'image' });
    await heading();
    expect(screen.queryByRole('heading', { name: 'Transkript' })).toBeNull();
  });
});

describe('Desk: work on a contribution', () => {
  const event = (facts: Partial<DeskEvent>): DeskEvent => ({
    id: 1,
    at: '2026-11-20T09:00:00Z',
    by: 'kim@haus.example',
    what: 'state',
    from: null,
    to: null,
    text: null,
    ...facts,
  });

  it('Offers the next state and all others, and shows the history', async () => {
    const events = [
      event({ id: 5, by: '', what: 'mail', from: 'for_review', to: 'refused', text: '550 nein' }),
      event({ id: 4, what: 'note', text: '<b>!</b>' }),
      event({ id: 3, by: '', what: 'assignment', to: 'kim@haus.example' }),
      event({ id: 2, what: 'assignment', from: 'x' }),
      event({ from: 'new', to: 'in_progress' }),
    ];
    open({ state: 'in_progress', events });
    await heading();
    const history = within(screen.getByRole('list', { name: 'Verlauf' })).getAllByRole('listitem');
    expect(history.map((entry) => entry.textContent.replace(/\d\d\.\d\d\.\d{4}, .*/, 'ZEIT'))).toEqual([
      'E-Mail zur Freigabe: vom Mailserver abgelehntAntwort des Mailservers: 550 neinZEIT',
      'Notiz<b>!</b>kim@haus.example, ZEIT',
      'Zugewiesen: kim@haus.exampleJemand, dessen Konto es nicht mehr gibt, ZEIT',
      'Zuweisung aufgehobenkim@haus.example, ZEIT',
      'Status: Neu → In Arbeitkim@haus.example, ZEIT',
    ]);
    expect(screen.getByRole('button', { name: 'Nachricht zur Freigabe schreiben' })).toBeTruthy();
  });

  it('The chosen post stays chosen while the material is looked at (posts)', async () => {
    const posts = [deskPost({ id: 1 }), deskPost({ id: 2, channel: 'newsletter' })];
    const { user } = open({}, { desk_posts: () => ({ posts, link: null, mailWaiting: false }) }, '?ansicht=posts');
    const second = () => screen.findByRole('button', { name: /^Newsletter/ });
    await user.click(await second());
    await user.click(screen.getByRole('link', { name: 'Material' }));
    await user.click(screen.getByRole('link', { name: /^Posts/ }));
    expect((await second()).getAttribute('aria-pressed')).toBe('true');
  });

  it('Follows an answer that came between the contribution and the first list of its posts', async () => {
    const contributions = [
      deskContribution({ state: 'for_review', posts: { approved: 0, changes: 0, total: 1 } }),
      deskContribution({ state: 'in_progress', posts: { approved: 0, changes: 1, total: 1 }, version: 2 }),
    ];
    const { requests } = open(
      {},
      { desk_contribution: () => contributions.shift(), desk_posts: () => deskPosts('changes_requested') },
    );
    expect(await screen.findByText('Änderung gewünscht')).toBeTruthy();
    expect(requests.filter(({ name }) => name === 'desk_contribution')).toHaveLength(2);
  });

  it('Keeps the contribution and a typed note where a later load fails', async () => {
    const contributions = [deskContribution({ posts: { approved: 0, changes: 0, total: 1 } })];
    const posts = Promise.withResolvers<unknown>();
    const { user, requests } = open(
      {},
      { desk_contribution: () => contributions.shift() ?? refusal(500, 'XX000'), desk_posts: () => posts.promise },
    );
    await user.type(await screen.findByLabelText('Interne Notiz'), 'Rückfrage');
    posts.resolve(deskPosts('changes_requested'));
    await waitFor(() => expect(requests.filter(({ name }) => name === 'desk_contribution')).toHaveLength(2));
    await passRounds(20);
    expect(screen.getByLabelText<HTMLTextAreaElement>('Interne Notiz').value).toBe('Rückfrage');
  });

  it('Keeps a change where an older answer arrives after it, and asks once more', async () => {
    const held = Promise.withResolvers<unknown>();
    const posts = { approved: 0, changes: 0, total: 1 };
    const changed = deskContribution({ state: 'in_progress', version: 2, posts });
    const contributions: unknown[] = [deskContribution({ posts }), held.promise];
    const lists: unknown[] = [deskPosts('in_review'), deskPosts('approved')];
    const { user, requests } = open(
      {},
      {
        desk_contribution: () => contributions.shift() ?? changed,
        desk_posts: () => lists.shift(),
        desk_change: () => changed,
      },
    );
    const countLooks = () => requests.filter(({ name }) => name === 'desk_contribution').length;
    await screen.findByRole('link', { name: /^Posts.*1/ });
    fireEvent(window, new Event('visibilitychange'));
    await waitFor(() => expect(countLooks()).toBe(2));
    await user.click(screen.getByRole('button', { name: 'In Arbeit nehmen' }));
    const toPosts = await screen.findByRole('link', { name: 'Zu den Posts' });
    expect(document.activeElement, 'stands where the button was (WCAG 2.4.3)').toBe(toPosts);
    await waitFor(() => expect(countLooks()).toBe(3));
    held.resolve(deskContribution());
    await passRounds(20);
    expect(screen.queryByRole('button', { name: 'In Arbeit nehmen' })).toBeNull();
  });

  it('Assigns a contribution to a colleague or to oneself', async () => {
    const { user, requests } = open(
      { assignee: 'weg', assigneeEmail: '' },
      {
        desk_change: ({ change }: { change: { assignee: string } }) =>
          deskContribution({ assignee: change.assignee, assigneeEmail: STUB_USER.email, version: 2 }),
      },
    );
    const select = await screen.findByLabelText<HTMLSelectElement>('In Bearbeitung bei');
    expect(select.selectedOptions[0]?.textContent).toBe('Ein anderes Konto');
    await user.click(screen.getByRole('button', { name: 'Mir zuweisen' }));
    await waitFor(() => expect(select.selectedOptions[0]?.textContent).toBe(STUB_USER.email));
    expect(requests.at(-1)?.args).toEqual({ id: 7, version: 1, change: { assignee: STUB_USER.id } });
    expect(screen.queryByRole('button', { name: 'Mir zuweisen' })).toBeNull();
    expect(document.activeElement).toBe(select);
  });

  it('Keeps the text of a note until it is saved', async () => {
    let away = true;
    const { user } = open({}, { desk_change: () => (away ? unreachable() : deskContribution()) });
    const field = await screen.findByLabelText<HTMLTextAreaElement>('Interne Notiz');
    const save = screen.getByRole('button', { name: 'Notiz speichern' });
    await user.click(save);
    expect((await screen.findByRole('alert')).textContent).toBe('Bitte schreibe zuerst etwas.');
    await user.type(field, 'Rückfrage gestellt');
    await user.click(save);
    expect((await screen.findByRole('alert')).textContent).toContain('nicht erreichbar');
    expect(field.value).toBe('Rückfrage gestellt');
    away = false;
    await user.click(save);
    await waitFor(() => expect(field.value).toBe(''));
  });

  it('Keeps what is typed while a note is on its way', async () => {
    const held = Promise.withResolvers<unknown>();
    const { user } = open({}, { desk_change: () => held.promise });
    const field = await screen.findByLabelText<HTMLTextAreaElement>('Interne Notiz');
    await user.type(field, 'Rückfrage');
    await user.click(screen.getByRole('button', { name: 'Notiz speichern' }));
    await user.type(field, ' gestellt');
    held.resolve(deskContribution());
    await screen.findByRole('button', { name: 'Notiz speichern' });
    expect(field.value).toBe('Rückfrage gestellt');
  });
});

describe('Desk: files', () => {
  const file = (id: number, path: string, type: string, size: number | null = 2_048) => ({
    id,
    path: `7/${path}`,
    type,
    size,
    createdAt: '2026-11-20T10:00:00Z',
  });

  it('Shows each file by its kind and offers no download of a missing one', async () => {
    open({ fileList: [file(1, '1_a.png', 'image/png'), file(2, '2_b.mp4', 'video/mp4', null)] });
    await heading();
    expect(screen.getByRole('button', { name: 'Bild 1 (PNG) herunterladen' })).toBeTruthy();
    expect(screen.getByText('Fehlt im Speicher.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Video 1 (MP4) herunterladen' })).toBeNull();
  });

  it('Sends two changes of a contribution one after the other', async () => {
    const held = Promise.withResolvers<unknown>();
    const pictures = [1, 2].map((id) => ({ ...file(id, `${id}_a.png`, 'image/png'), imageRights: null }));
    const { user, requests } = open(
      { fileList: pictures },
      { desk_image_rights: ({ upload }: { upload: number }) => (upload === 1 ? held.promise : deskContribution()) },
    );
    const asked = () => requests.flatMap(({ name, args }) => (name === 'desk_image_rights' ? [args] : []));
    for (const select of await screen.findAllByLabelText(/Bild \d/, { selector: 'select' }))
      await user.selectOptions(select, 'nobody');
    await passRounds(20);
    expect(asked()).toEqual([{ upload: 1, rights: 'nobody' }]);
    held.resolve(deskContribution({ fileList: pictures }));
    await waitFor(() => expect(asked()).toHaveLength(2));
  });

  /** Answers as a store with these files. */
  const stored = (files: Readonly<Record<string, string>>): DeskAnswers => ({
    'POST /storage/v1/object/sign/Media': () =>
      Object.keys(files).map((path) => ({ error: null, path, signedURL: `/object/sign/Media/${path}?token=t` })),
    ...Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        `GET /storage/v1/object/sign/Media/${path}`,
        () => new Response(text),
      ]),
    ),
  });

  it('Renews the addresses of media when the page is shown again after hours, and leaves the focus', async () => {
    let signed = 0;
    const paths = ['7/1_ton.webm', '7/2_a.png'];
    const sign = () => (signed += 1) && paths.map((path) => ({ error: null, path, signedURL: `/${path}?n=${signed}` }));
    const fileList = [file(1, '1_ton.webm', 'audio/webm'), file(2, '2_a.png', 'image/png')];
    open({ fileList }, { 'POST /storage/v1/object/sign/Media': sign });
    const group = await screen.findByRole('group', { name: 'Aufnahme 1 (WEBM)' });
    const address = () => group.querySelector('audio')?.getAttribute('src');
    const picture = screen.getByRole('button', { name: 'Bild 1 (PNG) groß ansehen' });
    picture.focus();
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 5 * 3_600_000);
    window.dispatchEvent(new Event('visibilitychange'));
    await waitFor(() => expect(address()).toContain('?n=2'));
    expect(document.activeElement).toBe(picture);
  });

  it('Requests an address for each download and reports a failure', async () => {
    let away = true;
    const clicked: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      clicked.push(this.getAttribute('href') ?? '');
    });
    const failure = Response.json({ error: { code: 'file_missing', message: 'x' } }, { status: 410 });
    const { user, requests } = open(
      { fileList: [file(3, '1_a.pdf', 'application/pdf')] },
      { 'POST /v1/desk/tickets': () => (away ? failure : { url: '/v1/desk/downloads/t' }) },
    );
    await user.click(await screen.findByRole('button', { name: 'Dokument 1 (PDF) herunterladen' }));
    await screen.findByText(/^Diese Datei fehlt im Speicher\./, { selector: '[data-variant=destructive] *' });
    away = false;
    await user.click(screen.getByRole('button', { name: 'Alles als ZIP' }));
    await waitFor(() => expect(clicked).toEqual(['/v1/desk/downloads/t']));
    expect(requests.filter(({ name }) => name.includes('tickets')).map(({ args }) => args)).toEqual([
      { path: '/v1/desk/contributions/7/files/3' },
      { path: '/v1/desk/contributions/7/archive' },
    ]);
  });

  it('Previews texts, PDFs if the browser can, and no broken file', async () => {
    const { user } = open(
      { fileList: [file(4, 'transcript_1.txt', 'text/plain'), file(5, '1_a.pdf', 'application/pdf')] },
      stored({ '7/transcript_1.txt': '<b>Hallo</b>' }),
    );
    await user.click(await screen.findByRole('button', { name: 'Vorschau von Transkript-Datei 1 (TXT)' }));
    expect(await screen.findByText('<b>Hallo</b>')).toBeTruthy();
    await user.keyboard('{Escape}');
    await user.click(screen.getByRole('button', { name: 'Vorschau von Dokument 1 (PDF)' }));
    expect(await screen.findByText(/zeigt PDF-Dateien nicht an/)).toBeTruthy();
  });

  it('Shows a PDF in a frame at a one-time address, and nothing that is no PDF', async () => {
    vi.stubGlobal('navigator', new Proxy(navigator, { get: readPdfNavigator }));
    const { user, requests } = open(
      { fileList: [file(5, '1_a.pdf', 'application/pdf'), file(6, '2_b.pdf', 'application/pdf')] },
      {
        ...stored({ '7/1_a.pdf': '%PDF-1.7', '7/2_b.pdf': '<html>' }),
        'POST /v1/desk/tickets': ({ path }: { path: string }) => ({ url: `${path}?ticket=t` }),
      },
    );
    await user.click(await screen.findByRole('button', { name: 'Vorschau von Dokument 1 (PDF)' }));
    const frame = await waitFor(() => document.querySelector('iframe') ?? expect.fail('no frame'));
    expect(frame.title).toBe('Vorschau von Dokument 1 (PDF)');
    expect(frame.getAttribute('src')).toBe('/v1/desk/contributions/7/files/5/preview?ticket=t');
    await user.keyboard('{Escape}');
    await user.click(screen.getByRole('button', { name: 'Vorschau von Dokument 2 (PDF)' }));
    expect(await screen.findByText(/konnte nicht geladen werden/)).toBeTruthy();
    expect(requests.filter(({ name }) => name.includes('tickets'))).toHaveLength(1);
  });

  it('Reports a preview that cannot be loaded', async () => {
    const { user } = open({ fileList: [file(4, 'transcript_1.txt', 'text/plain')] });
    await user.click(await screen.findByRole('button', { name: 'Vorschau von Transkript-Datei 1 (TXT)' }));
    expect(await screen.findByText(/konnte nicht geladen werden/)).toBeTruthy();
  });
});

describe('Desk: erasing a contribution', () => {
  const begin = async (answer: () => unknown, answers: DeskAnswers = {}) => {
    const run = open({ fileList: [], contributor: '' }, { 'POST /v1/desk/erasures': answer, ...answers });
    await run.user.click(await screen.findByRole('button', { name: 'Beitrag löschen' }));
    const dialog = within(await screen.findByRole('dialog', { description: /^Der Beitrag wird mit Transkript/ }));
    return { ...run, dialog, confirm: dialog.getByRole('button', { name: 'Endgültig löschen' }) };
  };

  it('Requires agreement, then shows the receipt', async () => {
    const { user, dialog, confirm, requests } = await begin(() => ({ state: 'done', receipt: RECEIPT }));
    await user.click(confirm);
    expect((await dialog.findByRole('alert')).textContent).toContain('Bitte bestätige zuerst');
    expect(requests.some(({ name }) => name.includes('erasures'))).toBe(false);
    await user.click(dialog.getByRole('checkbox'));
    await user.click(confirm);
    expect(await screen.findByRole('heading', { level: 1, name: 'Beitrag gelöscht' })).toBeTruthy();
    const receipt = screen.getByRole('region', { name: 'Quittung' });
    expect(receipt.textContent).toContain('1 Beitrag, 2 Dateien');
    expect(receipt.textContent).toContain('Q-1');
    expect(requests.at(-1)?.args).toEqual({ contribution: 7 });
  });

  it('Reports a running erasure and a failed one', async () => {
    let fails = true;
    const failure = () => Response.json({ error: { code: 'not_configured', message: 'x' } }, { status: 503 });
    const { user, dialog, confirm } = await begin(() => (fails ? failure() : { state: 'running', id: 'Q-2' }));
    await user.click(dialog.getByRole('checkbox'));
    await user.click(confirm);
    expect((await dialog.findByRole('alert')).textContent).toContain('SUPABASE_SERVICE_KEY');
    fails = false;
    await user.click(confirm);
    expect(await screen.findByRole('heading', { level: 1, name: 'Die Löschung läuft' })).toBeTruthy();
  });

  it('Shows the receipt of an erasure that takes longer once it has come to its end', async () => {
    const lists = [
      { open: [], receipts: [{ ...RECEIPT, id: 'Q-0' }], next: null },
      { open: [], receipts: [RECEIPT], next: null },
    ];
    const { dialog, confirm, requests } = await begin(() => ({ state: 'running', id: 'Q-1' }), {
      'GET /v1/desk/erasures': () => lists.shift() ?? unreachable(),
    });
    const countLooks = () => requests.filter(({ name }) => name === 'GET /v1/desk/erasures').length;
    freezeTime();
    fireEvent.click(dialog.getByRole('checkbox'));
    fireEvent.click(confirm);
    await waitForState(() => expect(screen.getByRole('heading', { name: 'Die Löschung läuft' })).toBeTruthy());
    await waitForState(() => expect(countLooks()).toBe(1));
    await pass(15_000);
    await waitForState(() => expect(screen.getByRole('heading', { name: 'Beitrag gelöscht' })).toBeTruthy());
    expect(screen.getByRole('region', { name: 'Quittung' }).textContent).toContain('Q-1');
    await pass(60_000);
    expect(countLooks()).toBe(2);
  });
});

/** A browser that shows PDF; all else is as it is, the getters on the real object. */
function readPdfNavigator(real: Navigator, name: string | symbol): unknown {
  if (name === 'pdfViewerEnabled') return true;
  const value: unknown = Reflect.get(real, name);
  return typeof value === 'function' ? value.bind(real) : value;
}
