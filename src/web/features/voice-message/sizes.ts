const MEBIBYTE = 1024 * 1024;

/** '25', '1,4' */
export function megabytes(bytes: number): string {
  return (bytes / MEBIBYTE).toLocaleString('de-DE', { maximumFractionDigits: 1 });
}
