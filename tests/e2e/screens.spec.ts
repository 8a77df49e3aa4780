import { fillFigures } from './admin.ts';
import { fillDesk, richContribution } from './desk.ts';
import { PICTURES, take, WIDTHS } from './pictures.ts';
import { show, SHOTS, type Shot } from './screens.ts';
import { test } from './visitors.ts';

/**
 * `SCREENSHOTS=1 npx playwright test screens` writes docs/screens; `accessibility.spec.ts` visits and measures the same
 * screens.
 */
const SHOWN = PICTURES ? SHOTS : [];
const DARK: readonly string[] = [
  'login',
  'account',
  'start',
  'voice-message-recording',
  'thank-you',
  'admin',
  'desk-inbox',
  'desk-board',
  'desk-contribution',
];

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
      if (!DARK.includes(shot.name)) continue;
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
