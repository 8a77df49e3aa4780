import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getFileName } from './file-name.ts';
import { readKey } from './keys.ts';
import { DEVICE_OWNER, type Entry } from './outbox/entry.ts';
import { browserOutbox } from './outbox/outbox.ts';
import { type FakeBackend, startFakeBackend } from '#tests/support/web/fake-backend.ts';
import { emptyOutbox } from '#tests/support/web/fixtures.ts';
import { renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { exchangedId, useSubmission } from './use-submission.ts';
import '#tests/support/indexed-db.ts';

const LOCAL = 'local_1763673600000_0123456789abcdef';
const KEY = 'k'.repeat(43);
const file = { kind: 'file', name: 'Halle 3.jpg', fileName: '1_ab.jpg', type: 'image/jpeg', bytes: 3 } as const;
const entry: Entry = {
  id: 'e',
  owner: DEVICE_OWNER,
  area: 'generic',
  contentId: LOCAL,
  key: KEY,
  createdAt: 1,
  row: { status: 'none' },
  parts: [{ id: file.fileName, revision: 1, content: file, state: { status: 'waiting' } }],
};
const made: Entry = { ...entry, row: { status: 'known', id: 815 } };

describe('§4 local ids exchanged for real ones', () => {
  it('a local id stays as long as its row is not made, and others’ rows are not its own', () => {
    expect(exchangedId(LOCAL, [entry, { ...made, contentId: 'local_2_b' }])).toBe(LOCAL);
    expect(exchangedId('7', [made])).toBe('7');
  });

  it('then it is the row’s, with its key and the names of its files', () => {
    expect(exchangedId(LOCAL, [made])).toBe('815');
    expect(readKey('815')).toBe(KEY);
    expect(getFileName({ path: '815/1_ab.jpg', type: 'image/jpeg' })).toBe('Halle 3.jpg');
  });
});

it('is the row’s also where the storage of this tab is full (§4)', () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  expect(exchangedId('local_3_c', [{ ...made, contentId: 'local_3_c' }])).toBe('815');
  vi.restoreAllMocks();
  expect(readKey('815')).toBe(KEY);
});

describe('a screen of the flow', () => {
  let fake: FakeBackend;
  beforeEach(() => {
    fake = startFakeBackend();
  });
  afterEach(async () => {
    await emptyOutbox(DEVICE_OWNER);
    fake.close();
  });

  function Screen() {
    const { currentId } = useSubmission();
    return <p data-testid="id">{currentId()}</p>;
  }
  const shown = () => screen.getByTestId('id').textContent;

  it('shows the real id as soon as the outbox has it, keeps it for the area and sends its key', async () => {
    sessionStorage.setItem('currentInterviewId', LOCAL);
    sessionStorage.setItem('transcriptInterviewId', LOCAL);
    const outbox = browserOutbox();
    await outbox.keep({ owner: DEVICE_OWNER, area: 'generic', contentId: LOCAL }, [{ kind: 'transcript', text: 'x' }]);
    renderFlow(<Screen />, { backend: fake.backend });
    expect(shown()).toBe(LOCAL);
    const [kept] = await outbox.store.list(DEVICE_OWNER);
    await outbox.store.apply(kept?.id ?? '', { type: 'row-known', id: 815 });
    outbox.changed();
    await waitForState(() => expect(shown()).toBe('815'));
    expect(sessionStorage.getItem('currentInterviewId')).toBe('815');
    expect(sessionStorage.getItem('transcriptInterviewId')).toBe('815');
    expect(readKey('815')).toBe(kept?.key);
  });
});
