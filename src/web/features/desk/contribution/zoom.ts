/** How large a picture is shown: `fit` is the whole of it, else a factor of that. */
export type Zoom = number;

export const FIT: Zoom = 1;
const MOST: Zoom = 8;
const STEP = 1.5;

export function zoomed(zoom: Zoom, way: 'in' | 'out'): Zoom {
  const next = way === 'in' ? zoom * STEP : zoom / STEP;
  return Math.min(MOST, Math.max(FIT, next));
}

export function isMost(zoom: Zoom): boolean {
  return zoom >= MOST;
}
