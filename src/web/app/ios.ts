/** iPadOS calls itself a Mac, but no Mac has a touch screen. */
export function isIos(device: Readonly<{ userAgent: string; maxTouchPoints: number }>): boolean {
  if (/iPad|iPhone|iPod/.test(device.userAgent)) return true;
  return device.userAgent.includes('Macintosh') && device.maxTouchPoints > 1;
}
