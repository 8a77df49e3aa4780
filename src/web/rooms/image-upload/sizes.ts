const MEBIBYTE = 1024 * 1024;
const KIBIBYTE = 1024;

/** '50 MB', '1,4 MB'; below a tenth of a MB '12 KB'. */
export function megabytes(bytes: number): string {
  if (bytes < MEBIBYTE / 10) return `${Math.max(1, Math.round(bytes / KIBIBYTE))} KB`;
  return `${(bytes / MEBIBYTE).toLocaleString('de-DE', { maximumFractionDigits: 1 })} MB`;
}
