const MEBIBYTE = 1024 * 1024;
const GIBIBYTE = 1024 * MEBIBYTE;

/** §9 'File size display': MB with that many decimals, such as '12,3 MB'. What would read as zero is 'unter 0,1 MB'. */
export function inMegabytes(bytes: number, decimals: 1 | 2): string {
  const least = 10 ** -decimals;
  const megabytes = bytes / MEBIBYTE;
  if (megabytes < least / 2) return `unter ${german(least, decimals)} MB`;
  return `${german(megabytes, decimals)} MB`;
}

/** A limit (D19) in the unit people know it by: '2 GB', '50 MB'. */
export function limitInWords(bytes: number): string {
  const [unit, name] = bytes >= GIBIBYTE ? [GIBIBYTE, 'GB'] : [MEBIBYTE, 'MB'];
  return `${(bytes / unit).toLocaleString('de-DE', { maximumFractionDigits: 1 })} ${name}`;
}

function german(value: number, decimals: number): string {
  return value.toLocaleString('de-DE', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}
