/** German texts of all screens with a microphone. */
export const speechTexts = {
  input: 'Mikrofon',
  inputDefault: 'Standardmikrofon',
} as const;
