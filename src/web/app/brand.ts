import { createContext, useContext } from 'react';
import type { Brand } from '#contract/app-config.ts';
import { DEFAULT_BRAND } from '#contract/brand.ts';

const Context = createContext<Brand>(DEFAULT_BRAND);

export const BrandProvider = Context.Provider;

/** D8. */
export function useBrand(): Brand {
  return useContext(Context);
}
