/** Why a microphone could not be opened. */
export type MicrophoneErrorCode =
  /** No access to microphones at all. */
  | 'unsupported'
  | 'permission'
  | 'no-microphone'
  /** The microphone does not work: used by another program, or broken hardware. */
  | 'microphone';

/** Tells why `getUserMedia` rejected (Media Capture and Streams, §10.2). */
export function classifyMicrophoneError(error: unknown): MicrophoneErrorCode {
  switch (getName(error)) {
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

function getName(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'name' in error) return String(error.name);
  return '';
}
