export const boardTexts = {
  column: 'Spalte',
  nothing: 'Nichts in dieser Spalte.',
  move: (name: string) => `${name} verschieben`,
  moveTo: 'Verschieben nach',
  more: (state: string) => `Mehr laden: „${state}“`,
} as const;
