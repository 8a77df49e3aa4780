import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { LegalScreen } from './index.tsx';

const brand = { association: 'Ingenieurverband', product: 'Assistent', imprintUrl: '/impressum', privacyUrl: '/d' };

test.each(['imprint', 'privacy'] as const)('%s: a page that is missing names no variable (D8)', (page) => {
  render(<LegalScreen page={page} brand={brand} />);
  expect(screen.getByText('Diese Seite ist noch nicht hinterlegt')).toBeTruthy();
  expect(document.body.textContent).not.toMatch(/[A-Z]+_[A-Z]+/);
});
