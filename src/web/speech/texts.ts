/** German texts of what every screen with a microphone shares. */
export const speechTexts = {
  input: 'Mikrofon',
  inputDefault: 'Standardmikrofon',
} as const;
