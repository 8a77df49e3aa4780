import { createClient } from '@supabase/supabase-js';
import type { BackendClient } from './client.ts';

const guests = new WeakMap<BackendClient, BackendClient>();

/** A client without a login, whoever is logged in here: it reads no stored session and keeps none. One per backend. */
export function connectGuest(backend: BackendClient): BackendClient {
  const guest = guests.get(backend) ?? makeGuest(backend);
  guests.set(backend, guest);
  return guest;
}

function makeGuest({ config }: BackendClient): BackendClient {
  const auth = { storageKey: 'guest', persistSession: false, autoRefreshToken: false, detectSessionInUrl: false };
  return { config, guest: true, supabase: createClient(config.supabaseUrl, config.supabaseKey, { auth }) };
}
