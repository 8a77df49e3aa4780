/** The code that hands a contribution in, loaded by `load-sending.ts`: the screens of the flows are usable before. */
export { findProgress, readDescription } from '#web/backend/interviews.ts';
export { loadTus } from '#web/backend/upload.ts';
export { resolveContentId } from './content-id.ts';
export { getContributionClient } from './contribution-client.ts';
export { saveSpokenTranscript, saveWAnswers } from './saving.ts';
export { createImageRightsSaver } from './save-image-rights.ts';
export { uploadFile, uploadFiles } from './uploads.ts';
