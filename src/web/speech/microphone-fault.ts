/** Why a microphone could not be opened. */
export type MicrophoneFault =
  /** No access to microphones at all. */
  | 'unsupported'
  | 'permission'
  | 'no-microphone'
  /** The microphone is there but does not work: taken by another program, a hardware fault. */
  | 'microphone';

/** Reads why `getUserMedia` refused (Media Capture and Streams, §10.2). */
export function faultOfMicrophone(error: unknown): MicrophoneFault {
  switch (nameOf(error)) {
    case 'NotAllowedError':
    case 'SecurityError':
    case 'PermissionDeniedError':
      return 'permission';
    case 'NotFoundError':
    case 'DevicesNotFoundError':
    case 'OverconstrainedError':
      return 'no-microphone';
    case 'NotSupportedError':
    case 'TypeError':
      return 'unsupported';
    default:
      return 'microphone';
  }
}

function nameOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'name' in error) return String(error.name);
  return '';
}
