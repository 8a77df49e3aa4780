import { fillFigures } from './admin.ts';
import { fillDesk, richContribution } from './desk.ts';
import { PICTURES, take, WIDTHS } from './pictures.ts';
import { show, SHOTS, type Shot } from './screens.ts';
import { test } from './visitors.ts';

/**
 * Takes the pictures that `npm run screens` puts together; `accessibility.spec.ts` visits and measures the same ones.
 */
const SHOWN = PICTURES ? SHOTS : [];
test.use({ trace: 'off' });

/** A contribution with everything one can have. */
let rich = 0;

test.beforeAll(async ({ server }) => {
  if (SHOWN.length === 0) return;
  await fillFigures(server);
  await fillDesk(server);
  rich = await richContribution(server);
});

for (const shot of SHOWN) {
  test(`picture of ${shot.name}`, async ({ getSeat }) => {
    const { page, interviewId } = await getSeat(shot.visitor);
    await page.setViewportSize({ width: 360, height: 740 });
    await show(page, ...pictured(shot, interviewId));
    for (const [width, height] of WIDTHS) {
      await page.setViewportSize({ width, height });
      await take(page, `${shot.name}-${width}`);
      await page.emulateMedia({ colorScheme: 'dark' });
      await take(page, `${shot.name}-dark-${width}`);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await page.goto('/impressum');
  });
}

function pictured(shot: Shot, interviewId: string): [Shot, string] {
  return shot.name === 'desk-contribution' ? [{ ...shot, heading: 'Ada Lovelace' }, String(rich)] : [shot, interviewId];
}
