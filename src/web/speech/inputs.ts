export type AudioInput = Readonly<{ id: string; label: string }>;
export type InputDevices = Pick<MediaDevices, 'enumerateDevices' | 'addEventListener' | 'removeEventListener'>;

/** Lists the microphones; empty before the permission, when browsers hide their ids and names. */
export async function listInputs(devices: InputDevices | undefined): Promise<readonly AudioInput[]> {
  const found = await devices?.enumerateDevices().catch(() => []);
  return (found ?? [])
    .filter((device) => device.kind === 'audioinput' && device.deviceId !== '' && device.label !== '')
    .map((device) => ({ id: device.deviceId, label: device.label }));
}

export function onInputsChange(devices: InputDevices | undefined, call: () => void): () => void {
  devices?.addEventListener('devicechange', call);
  return () => devices?.removeEventListener('devicechange', call);
}

/** Tells now and at each change: a phone call or a switch of the device mutes a microphone without ending it. */
export function watchMuted(track: MediaStreamTrack | undefined, report: (muted: boolean) => void): () => void {
  const tell = (): void => report(track?.muted === true);
  for (const change of ['mute', 'unmute']) track?.addEventListener(change, tell);
  tell();
  return () => ['mute', 'unmute'].forEach((change) => track?.removeEventListener(change, tell));
}
