/** §3, §7, D11. */
export const BUCKET = 'Media';
