import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { ProgressPanel, type ProgressPanelProps } from './progress-panel.tsx';

function show(state: ProgressPanelProps['state']) {
  const onCancel = vi.fn();
  const view = render(<ProgressPanel state={state} onCancel={onCancel} />);
  return {
    onCancel,
    update: (next: ProgressPanelProps['state']) => view.rerender(<ProgressPanel state={next} onCancel={onCancel} />),
  };
}

const getHeard = (): string | null => screen.getByRole('status').textContent;
const audio = (doneS: number) => ({ doneS, totalS: 200 });

test('Shows the place in the queue, then audio time and text, and cancels', async () => {
  const { update, onCancel } = show({ status: 'transcribing', text: '', place: 3 });
  expect(screen.getByRole('progressbar', { name: 'Platz 3 in der Warteschlange' }).hasAttribute('value')).toBe(false);
  expect(getHeard()).toBe('Platz 3 in der Warteschlange');
  update({ status: 'transcribing', text: 'Guten Tag.', audio: audio(65) });
  expect(screen.getByRole('progressbar', { name: 'Transkribiert: 01:05 von 03:20' }).getAttribute('value')).toBe('33');
  expect(screen.getByRole('region', { name: 'Text bisher' }).textContent).toBe('Guten Tag.');
  await userEvent.click(screen.getByRole('button', { name: 'Abbrechen' }));
  expect(onCancel).toHaveBeenCalledOnce();
});

test('Announces quarters of the recording, not each piece of the text', () => {
  const { update } = show({ status: 'transcribing', text: '', audio: audio(0) });
  const heard = Array.from({ length: 200 }, (_, at) => {
    update({ status: 'transcribing', text: 'Wort '.repeat(at + 1), audio: audio(at + 1) });
    return getHeard();
  });
  expect([...new Set(heard)]).toEqual([
    'Transkribiert...',
    '25 Prozent transkribiert',
    '50 Prozent transkribiert',
    '75 Prozent transkribiert',
    '100 Prozent transkribiert',
  ]);
  expect(screen.getByRole('region', { name: 'Text bisher' }).closest('[aria-live], [role=status]')).toBeNull();
});

test('Shows bytes while the recording is sent, and no button where the server cannot stop', () => {
  render(<ProgressPanel state={{ status: 'uploading', fraction: 0.5 }} onCancel={undefined} />);
  expect(screen.getByRole('progressbar', { name: 'Lädt hoch...' }).getAttribute('value')).toBe('50');
  expect(screen.queryByRole('button')).toBeNull();
});
