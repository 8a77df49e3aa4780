export const boardTexts = {
  column: 'Spalte',
  nothing: 'Nichts in dieser Spalte.',
  move: (name: string) => `${name} verschieben`,
  moveTo: 'Verschieben nach',
  more: (state: string) => `Mehr aus „${state}“ laden`,
  dropHere: 'Hier ablegen',
  hint: 'Ziehe eine Karte in eine andere Spalte, oder öffne ihr Menü.',
} as const;
