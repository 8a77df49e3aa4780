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
