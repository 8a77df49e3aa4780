/** Hands an address to the browser as a download; an answer that is none does not take the place of this screen. */
export function startDownload(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
