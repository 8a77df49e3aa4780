/** German texts of a post's preview. */
export const previewTexts = {
  now: 'Jetzt',
  more: 'mehr',
  less: 'weniger',
  pictures: (count: number) => `${count} Bilder nebeneinander`,
  empty: 'Hier erscheint der Text.',
  noPicture: 'Dieser Kanal braucht ein Bild.',
} as const;
