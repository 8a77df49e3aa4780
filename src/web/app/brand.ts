import { createContext, useContext } from 'react';
import type { Brand } from '#contract/app-config.ts';
import { DEFAULT_BRAND } from '#web/backend/config.ts';

const Context = createContext<Brand>(DEFAULT_BRAND);

export const BrandProvider = Context.Provider;

/** D8. */
export function useBrand(): Brand {
  return useContext(Context);
}
