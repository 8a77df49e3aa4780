import type { Sample } from '../sample.ts';
import { ASSOCIATION } from './association.ts';
import { FIRMA_A } from './firma-a.ts';
import { FIRMA_B } from './firma-b.ts';
import { TESTNORMEC } from './testnormec.ts';

export const SAMPLES: readonly Sample[] = [...ASSOCIATION, ...FIRMA_A, ...FIRMA_B, ...TESTNORMEC];
