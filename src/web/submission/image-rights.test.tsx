import { fireEvent, screen } from '@testing-library/react';
import { type ReactNode, useMemo, useState } from 'react';
import { beforeEach, expect, it } from 'vitest';
import { registerMedia } from '#web/backend/media.ts';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { ImageRightsQuestion } from './image-rights.tsx';
import { NETWORK, refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { expectToast, type FlowRun, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import type { ChosenFile } from './use-chosen-files.ts';

const CALL = 'POST answer_image_rights';
const AGREED = 'Alle sind einverstanden';
const NOT_STORED = { title: 'Angabe nicht gespeichert', description: 'Prüfe deine Verbindung und wähle noch einmal.' };
const REFUSED = { title: 'Angabe nicht übernommen', description: 'Es bleibt bei der vorigen Angabe.' };
const PATH = '77/1_a.jpg';

const fake = fakeBackendForEach((world) => {
  world.interviews.set(77, { id: 77 });
  world.media.push({ interview_id: 77, file_path: PATH, file_type: 'image/jpeg', image_rights: 'unknown' });
});

let run: FlowRun;
beforeEach(() => {
  run = renderFlow(<ArrivedFile />, { backend: fake.backend });
});

/** A screen whose only picture has arrived. */
function ArrivedFile(): ReactNode {
  const [file, setFile] = useState<ChosenFile>(() => ({
    key: 'a',
    file: new File(['a'], 'a.jpg', { type: 'image/jpeg' }),
    state: 'done',
    path: PATH,
    imageRights: 'unknown',
  }));
  const chosen = useMemo(() => {
    const unused = (): void => undefined;
    const update = (_key: string, change: Partial<ChosenFile>): void => setFile((now) => ({ ...now, ...change }));
    return { files: [file], update, add: unused, replace: unused, remove: unused, forget: unused };
  }, [file]);
  return (
    <FlowScreen title="Bilder">
      <ImageRightsQuestion chosen={chosen} />
    </FlowScreen>
  );
}

const select = () => screen.getByRole<HTMLSelectElement>('combobox');
const choose = (answer: string) => run.user.selectOptions(select(), answer);
const stored = () => fake.media[0]?.['image_rights'];

it('An answer that did not arrive says so and stands back where it was, until one arrives (image rights)', async () => {
  fake.fail(CALL, NETWORK);
  await choose(AGREED);
  await expectToast(NOT_STORED);
  expect(select().value).toBe('unknown');
  await choose(AGREED);
  await waitForState(() => expect(stored()).toBe('agreed'));
  await waitForState(() => expect(screen.queryByText(NOT_STORED.title)).toBeNull());
  expect(select().value).toBe('agreed');
});

it('An answer to a contribution that is complete meanwhile is not shown as stored (image rights)', async () => {
  fake.interviews.set(77, { id: 77, contact_email: 'ada@beispiel.test' });
  await choose(AGREED);
  await expectToast(REFUSED);
  expect(select().value).toBe('unknown');
  expect(stored()).toBe('unknown');
});

/** As arrow keys do: the second choice before an answer to the first. */
function chooseInOneGo(...answers: readonly string[]): void {
  for (const value of answers) fireEvent.change(select(), { target: { value } });
}

it('After two answers that both failed, the one that is stored stands there (image rights)', async () => {
  fake.fail(CALL, NETWORK, 2);
  chooseInOneGo('agreed', 'nobody');
  await expectToast(NOT_STORED);
  await waitForState(() => expect(fake.called(CALL)).toHaveLength(2));
  await waitForState(() => expect(select().value).toBe('unknown'));
});

it('A failed answer leaves the later choice standing, which is stored (image rights)', async () => {
  fake.fail(CALL, NETWORK);
  chooseInOneGo('agreed', 'nobody');
  await waitForState(() => expect(stored()).toBe('nobody'));
  await waitForState(() => expect(screen.queryByText(NOT_STORED.title)).toBeNull());
  expect(select().value).toBe('nobody');
});

it('A file registered twice is handed in, also where its contribution takes no other answer (image rights)', async () => {
  const file = { path: PATH, type: 'image/jpeg', imageRights: 'agreed' } as const;
  fake.interviews.set(77, { id: 77, contact_email: 'ada@beispiel.test' });
  await registerMedia(fake.backend, 77, file);
  expect(fake.called(CALL)).toHaveLength(1);
  fake.fail(CALL, refusal(500, 'XX000'));
  await expect(registerMedia(fake.backend, 77, file)).rejects.toMatchObject({ kind: 'failed' });
});
