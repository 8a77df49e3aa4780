/**
 * Replaces livekit-client, which the voice agent's client imports for WebRTC: this application uses a WebSocket only
 * and saves 150 kB (vite.config.ts). Never called.
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
