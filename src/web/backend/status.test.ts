import { describe, expect, it } from 'vitest';
import { INITIAL_STATUS, reduceStatus, getStatus, type BackendStatus } from './status.ts';

describe('§4 backend status', () => {
  it.each<[boolean, boolean, boolean, BackendStatus]>([
    [true, true, true, 'ready'],
    [true, true, false, 'limited'],
    [true, false, true, 'limited'],
    [false, true, true, 'limited'],
    [false, false, true, 'limited'],
    [true, false, false, 'limited'],
    [false, false, false, 'unavailable'],
  ])('interviews %s, media %s, bucket %s → %s', (interviews, media, bucket, expected) => {
    expect(getStatus({ interviews, media, bucket })).toBe(expected);
  });

  it('is checking until the first probe has answered', () => {
    expect(INITIAL_STATUS.status).toBe('checking');
    const probe = { interviews: true, media: true, bucket: true };
    expect(reduceStatus(INITIAL_STATUS, { type: 'probed', probe }).status).toBe('ready');
  });

  it('is unavailable as soon as the browser says that it is offline', () => {
    const ready = reduceStatus(INITIAL_STATUS, {
      type: 'probed',
      probe: { interviews: true, media: true, bucket: true },
    });
    expect(reduceStatus(ready, { type: 'disconnected' }).status).toBe('unavailable');
  });
});
