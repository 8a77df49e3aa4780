import type { SetupErrorCode } from '#contract/setup.ts';
import { type Catalogue, errorsOf } from '#http/errors.ts';
import { SHARED_ERRORS } from './api-errors.ts';

const CATALOGUE: Catalogue<SetupErrorCode> = {
  ...SHARED_ERRORS,
  unknown_model: [404, 'There is no such model'],
  unknown_part: [404, 'There is no such part that can be checked'],
  not_configured: [409, 'The part is not configured'],
  rate_limited: [429, 'Too many checks'],
  not_installed: [404, 'The model is not installed'],
  install_running: [409, 'A model is being installed'],
  check_running: [409, 'A check is running'],
  check_too_slow: [503, 'The recording was not transcribed in time'],
  nothing_transcribes: [409, 'Neither a service nor a model transcribes'],
  transcription_failed: [502, 'The recording could not be transcribed'],
  model_unusable: [503, 'The speech model is damaged or of another kind'],
  engine_out_of_memory: [503, 'The speech model does not fit into the memory'],
  engine_missing: [503, 'There is no build of the speech engine for this machine'],
  engine_crashed: [503, 'The speech engine ended unexpectedly'],
};

export class SetupError extends errorsOf(CATALOGUE) {}
