/** What the server adds to the functions in SQL for the bearer of a review key. The key stands in REVIEW_KEY_HEADER. */
import * as z from 'zod/mini';

/**
 * POST REVIEW_PICTURES_PATH, with the key in its header and no body: addresses of the review's pictures for an hour, in
 * the order of the posts. GET on such an address gives the copy for publication, without place and device. A picture
 * that the store does not have is left out.
 */
export const ReviewPicturesSchema = z.object({ pictures: z.array(z.object({ path: z.string(), url: z.string() })) });
export type ReviewPictures = z.infer<typeof ReviewPicturesSchema>;

/**
 * POST REVIEW_LINK_PATH: mails a new link to the stored address. Answers 202 with `{}` whether the key is known or not.
 * `key`: of an earlier link, also one that is expired or revoked.
 */
export const ReviewLinkRequestSchema = z.strictObject({
  key: z.string().check(z.regex(/^[A-Za-z0-9_-]{43,128}$/)),
});
