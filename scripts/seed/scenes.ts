import { beam, circle, gear, mix, newCanvas, paint, panel, ring, type Canvas, type Colour } from './canvas.ts';

/** What a made picture shows. */
export type Scene =
  | 'workshop'
  | 'bridge'
  | 'turbine'
  | 'board'
  | 'team'
  | 'crane'
  | 'solar'
  | 'lab'
  | 'train'
  | 'chart';

const STEEL: Colour = [92, 106, 124];
const DARK: Colour = [38, 46, 60];
const LIGHT: Colour = [236, 241, 247];
const SIGNAL: Colour = [236, 142, 44];
const SKIN: readonly Colour[] = [
  [236, 196, 168],
  [172, 122, 92],
  [246, 214, 188],
  [120, 82, 62],
];

/** Seed numbers give each picture of a scene its own tint and places. */
export function drawScene(scene: Scene, seed: number, width = 1080, height = 720): Canvas {
  const random = numbersFrom(seed);
  const tint = mix([44, 92, 160], [150, 92, 60], random());
  const canvas = newCanvas(width, height, mix(tint, LIGHT, 0.72), mix(tint, LIGHT, 0.34));
  SCENES[scene]({ canvas, tint, random, u: width / 1080, ground: height * 0.78 });
  return canvas;
}

/** `u` is a pixel of a picture 1,080 wide; `ground` the height at which things stand. */
type Studio = Readonly<{ canvas: Canvas; tint: Colour; random: () => number; u: number; ground: number }>;

const SCENES: Readonly<Record<Scene, (studio: Studio) => void>> = {
  workshop: (studio) => {
    const { canvas, tint, u, ground } = studio;
    floor(studio, [120, 116, 112]);
    for (let x = 60; x < 1080; x += 250) paint(canvas, panel(x * u, 90 * u, 170 * u, 150 * u, 6 * u), LIGHT, 0.75);
    paint(canvas, panel(170 * u, ground - 250 * u, 620 * u, 250 * u, 18 * u), mix(tint, DARK, 0.35));
    paint(canvas, panel(210 * u, ground - 215 * u, 330 * u, 150 * u, 10 * u), DARK);
    paint(canvas, gear(330 * u, ground - 140 * u, 62 * u, 14), STEEL);
    paint(canvas, gear(436 * u, ground - 140 * u, 40 * u, 9, 0.3), SIGNAL);
    paint(canvas, panel(590 * u, ground - 210 * u, 150 * u, 90 * u, 8 * u), mix(tint, LIGHT, 0.8));
    for (let light = 0; light < 3; light += 1)
      paint(canvas, circle((620 + light * 45) * u, ground - 80 * u, 13 * u), light === 0 ? [86, 176, 110] : STEEL);
    person(studio, 900, 1);
  },
  bridge: (studio) => {
    const { canvas, u, ground } = studio;
    floor(studio, [70, 116, 148]);
    for (const x of [300, 780]) paint(canvas, panel(x * u, ground - 430 * u, 40 * u, 500 * u, 6 * u), DARK);
    for (const [tower, side] of [
      [320, -1],
      [320, 1],
      [800, -1],
      [800, 1],
    ] as const)
      for (let cable = 1; cable <= 6; cable += 1)
        paint(
          canvas,
          beam(tower * u, ground - 415 * u, (tower + side * cable * 40) * u, ground - 130 * u, 3 * u),
          STEEL,
        );
    paint(canvas, panel(0, ground - 140 * u, 1080 * u, 26 * u), mix(STEEL, LIGHT, 0.3));
    paint(canvas, panel(0, ground - 114 * u, 1080 * u, 10 * u), DARK, 0.6);
  },
  turbine: (studio) => {
    const { canvas, random, u, ground } = studio;
    floor(studio, [104, 138, 92]);
    for (const [x, size] of [
      [250, 0.7],
      [560, 1.1],
      [860, 0.85],
    ] as const) {
      const top = ground - 400 * size * u;
      paint(canvas, beam(x * u, ground + 20 * u, x * u, top, 16 * size * u), LIGHT);
      const turn = random() * 2;
      for (let blade = 0; blade < 3; blade += 1) {
        const angle = turn + (blade * Math.PI * 2) / 3;
        const reach = 170 * size * u;
        paint(
          canvas,
          beam(x * u, top, x * u + Math.cos(angle) * reach, top + Math.sin(angle) * reach, 10 * size * u),
          LIGHT,
        );
      }
      paint(canvas, circle(x * u, top, 14 * size * u), STEEL);
    }
  },
  board: ({ canvas, random, u }) => {
    paint(canvas, panel(60 * u, 60 * u, 960 * u, 600 * u, 24 * u), [22, 84, 66]);
    for (let trace = 0; trace < 26; trace += 1) {
      const [x, y] = [100 + random() * 820, 100 + random() * 500];
      const [dx, dy] = trace % 2 === 0 ? [120, 0] : [0, 110];
      paint(canvas, beam(x * u, y * u, (x + dx) * u, (y + dy) * u, 5 * u), [202, 170, 92], 0.7);
      paint(canvas, circle(x * u, y * u, 8 * u), [222, 196, 122]);
    }
    for (const [x, y, size] of [
      [250, 210, 170],
      [560, 330, 230],
      [760, 150, 120],
    ] as const) {
      for (let pin = 12; pin < size; pin += 24) {
        paint(canvas, panel((x + pin) * u, (y - 14) * u, 10 * u, (size + 28) * u), [206, 210, 214]);
      }
      paint(canvas, panel(x * u, y * u, size * u, size * u, 8 * u), [30, 33, 38]);
      paint(canvas, circle((x + 22) * u, (y + 22) * u, 7 * u), [70, 74, 82]);
    }
  },
  team: (studio) => {
    const { canvas, tint, u } = studio;
    floor(studio, [150, 146, 140]);
    paint(canvas, panel(120 * u, 90 * u, 840 * u, 300 * u, 10 * u), LIGHT, 0.8);
    paint(canvas, beam(180 * u, 330 * u, 420 * u, 220 * u, 8 * u), tint);
    paint(canvas, beam(420 * u, 220 * u, 640 * u, 260 * u, 8 * u), tint);
    paint(canvas, beam(640 * u, 260 * u, 900 * u, 140 * u, 8 * u), SIGNAL);
    for (const [place, x] of [200, 400, 600, 800].entries()) person(studio, x, place);
  },
  crane: (studio) => {
    const { canvas, u, ground } = studio;
    floor(studio, [158, 138, 112]);
    for (let storey = 0; storey < 4; storey += 1) {
      paint(canvas, panel(520 * u, ground - (storey + 1) * 85 * u, 420 * u, 14 * u), STEEL);
      for (let x = 530; x < 940; x += 98)
        paint(canvas, panel(x * u, ground - (storey + 1) * 85 * u, 14 * u, 85 * u), STEEL);
    }
    paint(canvas, panel(250 * u, ground - 470 * u, 24 * u, 490 * u), SIGNAL);
    paint(canvas, beam(130 * u, ground - 470 * u, 850 * u, ground - 470 * u, 16 * u), SIGNAL);
    paint(canvas, beam(262 * u, ground - 540 * u, 800 * u, ground - 472 * u, 4 * u), DARK);
    paint(canvas, beam(262 * u, ground - 540 * u, 150 * u, ground - 472 * u, 4 * u), DARK);
    paint(canvas, beam(690 * u, ground - 470 * u, 690 * u, ground - 380 * u, 4 * u), DARK);
    paint(canvas, panel(650 * u, ground - 382 * u, 80 * u, 26 * u, 4 * u), DARK);
  },
  solar: (studio) => {
    const { canvas, u, ground } = studio;
    floor(studio, [112, 144, 88]);
    paint(canvas, circle(900 * u, 130 * u, 62 * u), [250, 214, 110]);
    for (let row = 0; row < 3; row += 1)
      for (let column = 0; column < 5; column += 1) {
        const [x, y] = [(90 + column * 180 + row * 24) * u, ground - (230 - row * 95) * u];
        paint(canvas, panel(x, y, 160 * u, 74 * u, 6 * u), [28, 50, 98]);
        for (let line = 1; line < 4; line += 1)
          paint(canvas, panel(x + line * 40 * u, y, 2 * u, 74 * u), [110, 138, 190]);
        paint(canvas, panel(x, y + 36 * u, 160 * u, 2 * u), [110, 138, 190]);
      }
  },
  lab: (studio) => {
    const { canvas, tint, u, ground } = studio;
    floor(studio, [176, 182, 188]);
    paint(canvas, panel(80 * u, ground - 120 * u, 760 * u, 130 * u, 8 * u), LIGHT);
    for (const [place, x] of [180, 330, 480].entries()) {
      const liquid = ([[86, 176, 150], [222, 126, 96], tint] as const)[place] ?? tint;
      paint(canvas, panel((x - 16) * u, ground - 310 * u, 32 * u, 110 * u, 6 * u), LIGHT, 0.9);
      paint(canvas, circle(x * u, ground - 175 * u, 58 * u), LIGHT, 0.9);
      paint(canvas, circle(x * u, ground - 168 * u, 46 * u), liquid);
    }
    paint(canvas, panel(600 * u, ground - 290 * u, 190 * u, 150 * u, 10 * u), DARK);
    for (let x = 0; x < 8; x += 1) {
      const heights = [20, 64, 36, 90, 52, 76, 30, 44];
      paint(
        canvas,
        panel((618 + x * 20) * u, ground - (158 + (heights[x] ?? 20)) * u, 12 * u, (heights[x] ?? 20) * u),
        [96, 206, 160],
      );
    }
    person(studio, 940, 2);
  },
  train: (studio) => {
    const { canvas, tint, u, ground } = studio;
    floor(studio, [132, 126, 118]);
    paint(canvas, beam(0, ground - 330 * u, 1080 * u, ground - 330 * u, 3 * u), DARK);
    paint(canvas, panel(-80 * u, ground - 240 * u, 980 * u, 220 * u, 70 * u), LIGHT);
    paint(canvas, panel(-80 * u, ground - 110 * u, 965 * u, 26 * u, 8 * u), mix(tint, DARK, 0.2));
    for (let x = 20; x < 700; x += 115) paint(canvas, panel(x * u, ground - 205 * u, 88 * u, 62 * u, 12 * u), DARK);
    paint(canvas, panel(760 * u, ground - 205 * u, 110 * u, 70 * u, 30 * u), DARK);
    for (let x = 60; x < 860; x += 130) paint(canvas, ring(x * u, ground - 12 * u, 24 * u, 12 * u), DARK);
    paint(canvas, panel(0, ground + 12 * u, 1080 * u, 10 * u), STEEL);
  },
  chart: ({ canvas, tint, random, u }) => {
    paint(canvas, panel(60 * u, 50 * u, 960 * u, 620 * u, 20 * u), [252, 253, 255]);
    for (let line = 0; line < 5; line += 1)
      paint(canvas, panel(130 * u, (150 + line * 100) * u, 820 * u, 2 * u), [222, 228, 236]);
    for (let bar = 0; bar < 9; bar += 1) {
      const height = (110 + bar * 30 + random() * 70) * u;
      paint(canvas, panel((150 + bar * 90) * u, 552 * u - height, 56 * u, height, 8 * u), bar === 8 ? SIGNAL : tint);
    }
  },
};

function floor({ canvas, u, ground }: Studio, colour: Colour): void {
  paint(canvas, panel(0, ground, 1080 * u, canvas.height - ground), colour);
}

/** Head, helmet and jacket, standing on the ground. */
function person({ canvas, tint, u, ground }: Studio, x: number, variant: number): void {
  const jacket = variant % 2 === 0 ? mix(tint, DARK, 0.15) : SIGNAL;
  paint(canvas, panel((x - 52) * u, ground - 170 * u, 104 * u, 220 * u, 44 * u), jacket);
  paint(canvas, circle(x * u, ground - 214 * u, 42 * u), SKIN[variant % SKIN.length] ?? LIGHT);
  paint(
    canvas,
    panel((x - 46) * u, ground - 264 * u, 92 * u, 38 * u, 18 * u),
    variant % 3 === 0 ? LIGHT : [240, 196, 60],
  );
}

/** mulberry32: the same numbers for the same seed on every machine. */
function numbersFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
