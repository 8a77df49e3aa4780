/** §2.1: these two are English by specification. */
export const notFoundTexts = {
  code: '404',
  title: 'Oops! Page not found',
  home: 'Return to Home',
} as const;
