/**
 * In the place of livekit-client, which the voice agent's client imports for WebRTC: this application talks over a
 * WebSocket only, and 150 kB would be loaded for nothing (vite.config.ts). Nothing of it is ever called.
 */
export function Room(): never {
  throw new Error('WebRTC is not part of this application');
}

export const RoomEvent = {};
export const Track = { Kind: {}, Source: {} };
export const ConnectionState = {};

export function createLocalAudioTrack(): never {
  throw new Error('WebRTC is not part of this application');
}
