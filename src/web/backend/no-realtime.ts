/**
 * Takes the place of @supabase/realtime-js in the bundle (vite.config.ts): this product opens no channels, and its
 * client would be a fifth of what a phone has to load. supabase-js itself is unchanged.
 */
export class RealtimeClient {
  setAuth(): Promise<void> {
    return Promise.resolve();
  }

  channel(): never {
    throw new Error('realtime is not part of this application');
  }

  getChannels(): readonly never[] {
    return [];
  }

  removeChannel(): Promise<'ok'> {
    return Promise.resolve('ok');
  }

  removeAllChannels(): Promise<readonly never[]> {
    return Promise.resolve([]);
  }
}
