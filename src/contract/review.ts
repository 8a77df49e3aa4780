/**
 * What the bearer of a review key needs to know of the server, without the schemas: they would be a tenth of all that
 * the review page loads.
 */

/** Header of the review key: 256 bits in base64url, 43 to 128 characters. It stands behind `#` in the link. */
export const REVIEW_KEY_HEADER = 'x-review-key';
export const REVIEW_PICTURES_PATH = '/v1/review/pictures';
export const REVIEW_LINK_PATH = '/v1/review/link';
/** Seconds and bytes of spoken words to an answer; two minutes of 16 kHz WAV are the most that a browser sends. */
export const REVIEW_SPOKEN_MAX_S = 120;
export const REVIEW_SPOKEN_MAX_BYTES = 4_000_000;
/** Characters of the words to an answer. */
export const REVIEW_COMMENT_MAX = 5_000;
