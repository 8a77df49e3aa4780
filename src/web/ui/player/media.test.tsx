import { act, fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { computePeaks, drawWaveform, formatCaptions } from './media.tsx';
import { Player } from './player.tsx';
import { uiTexts } from '../texts.ts';

test('Each sentence is shown until the next one, and its text cannot end the cue (0265)', () => {
  const captions = formatCaptions([
    { start: 0.5, text: 'Die Pumpe\nläuft.' },
    { start: 3_723.25, text: '1 <b> --> 2 & 3' },
  ]);
  expect(captions).toBe(
    'WEBVTT\n\n00:00:00.500 --> 01:02:03.250\nDie Pumpe läuft.\n\n' +
      '01:02:03.250 --> 01:02:11.250\n1 &lt;b&gt; --&gt; 2 &amp; 3\n',
  );
});

test('The loudest moment of each bar, the loudest of all being 1 (0265)', () => {
  expect(computePeaks(Float32Array.of(0.1, -0.25, 0.5, 0, 0, 0, 0, 0.25), 4)).toEqual([0.5, 1, 0, 0.5]);
});

test('Silence and nothing at all have no level', () => {
  expect(computePeaks(new Float32Array(8), 2)).toEqual([0, 0]);
  expect(computePeaks(new Float32Array(0), 2)).toEqual([0, 0]);
});

test('Fewer samples than bars leave none out', () => {
  expect(Math.max(...computePeaks(Float32Array.of(0.5, 0.2), 5))).toBe(1);
});

test('One stroke a bar, and silence is still seen', () => {
  expect(drawWaveform([0, 1])).toBe('M0.5 47.0V53.0M1.5 6.0V94.0');
});

test('A recording without a length that failed is measured again, and goes on where it was (0265)', async () => {
  render(<Player kind="audio" src="/ton.webm" name="Aufnahme" size={Number.POSITIVE_INFINITY} />);
  const audio = document.querySelector('audio') ?? expect.fail('no element');
  const set = (facts: object): void => {
    for (const [name, value] of Object.entries(facts))
      Object.defineProperty(audio, name, { value, writable: true, configurable: true });
  };
  const measure = (): void => {
    set({ readyState: 1, duration: Number.POSITIVE_INFINITY, currentTime: 0 });
    fireEvent.loadedMetadata(audio);
    expect(audio.currentTime).toBeGreaterThan(1e6);
  };
  // What a browser does: the 0 comes before anything is known of the file.
  const load = vi.fn(() => {
    set({ readyState: 0, duration: Number.NaN, currentTime: 0 });
    fireEvent.emptied(audio);
    fireEvent.timeUpdate(audio);
  });
  set({ load, readyState: 1, duration: 20, currentTime: 7, seekable: { length: 1 } });
  fireEvent.loadedMetadata(audio);
  fireEvent.timeUpdate(audio);
  for (const times of [1, 2]) {
    fireEvent.error(audio);
    fireEvent.click(screen.getByRole('button', { name: uiTexts.retry }));
    await act(() => vi.waitFor(() => expect(load).toHaveBeenCalledTimes(times)));
    measure();
  }
  set({ duration: 20 });
  fireEvent.durationChange(audio);
  expect(audio.currentTime).toBe(7);
});

test('A recording in which no place can be sought shows where it plays (0377)', () => {
  render(<Player kind="audio" src="/ton.webm" name="Aufnahme" size={Number.POSITIVE_INFINITY} />);
  const audio = document.querySelector('audio') ?? expect.fail('no element');
  const facts = { readyState: 1, duration: Number.POSITIVE_INFINITY, currentTime: 0, seekable: { length: 0 } };
  for (const [name, value] of Object.entries(facts))
    Object.defineProperty(audio, name, { value, writable: true, configurable: true });
  fireEvent.loadedMetadata(audio);
  expect(audio.currentTime).toBe(0);
  Object.assign(audio, { currentTime: 3 });
  fireEvent.timeUpdate(audio);
  expect(screen.getByRole('slider').getAttribute('aria-valuetext')).toBe('Minute 0:03');
});

test('What is heard is not talked over: where the recording plays is said at a pause, a jump and a visit (0265)', () => {
  render(<Player kind="audio" src="/ton.webm" name="Aufnahme" size={Number.POSITIVE_INFINITY} />);
  const audio = document.querySelector('audio') ?? expect.fail('no element');
  const move = (currentTime: number): void => {
    for (const [name, value] of Object.entries({ readyState: 1, duration: 60, currentTime, seekable: { length: 1 } }))
      Object.defineProperty(audio, name, { value, writable: true, configurable: true });
    fireEvent.timeUpdate(audio);
  };
  const slider = screen.getByRole('slider');
  const said = () => slider.getAttribute('aria-valuetext');
  move(0);
  fireEvent.loadedMetadata(audio);
  fireEvent.play(audio);
  move(3);
  expect(said()).toBe('Minute 0:00 von 1:00');
  fireEvent.keyDown(slider, { key: 'ArrowRight' });
  move(9);
  expect(said()).toBe('Minute 0:08 von 1:00');
  fireEvent.focus(slider);
  expect(said()).toBe('Minute 0:09 von 1:00');
  move(11);
  fireEvent.pause(audio);
  expect(said()).toBe('Minute 0:11 von 1:00');
});

test('A letter of the player is not also one of the screen around it, any other letter may be (0265)', () => {
  render(<Player kind="audio" src="/ton.webm" name="Aufnahme" size={1_000} />);
  const [button] = screen.getAllByRole('button');
  if (button === undefined) expect.fail('no button');
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue(undefined);
  vi.spyOn(HTMLMediaElement.prototype, 'pause').mockReturnValue(undefined);
  // `fireEvent` answers false where the default was prevented.
  expect(['k', 'j', 'l', 'm', 'n', 'u'].filter((key) => !fireEvent.keyDown(button, { key }))).toEqual([
    'k',
    'j',
    'l',
    'm',
  ]);
});
