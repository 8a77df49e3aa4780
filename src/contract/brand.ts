import type { Brand } from './app-config.ts';

/** D8: what an installation is called until its operator says otherwise. */
export const DEFAULT_BRAND: Brand = {
  association: 'Ingenieurverband',
  product: 'Social-Media-Content-Assistent',
  imprintUrl: '/impressum',
  privacyUrl: '/datenschutz',
};
