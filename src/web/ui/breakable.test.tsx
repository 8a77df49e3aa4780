import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Breakable } from './breakable.tsx';

it.each([
  ['anna.berger@firma.beispiel.test', 'anna<wbr>.berger@<wbr>firma<wbr>.beispiel<wbr>.test'],
  ['Dr. Ada Lovelace', 'Dr. Ada Lovelace'],
])('Lets a mail address break at its joints, and no name: %s (§9)', (text, html) => {
  const { container } = render(<Breakable text={text} />);
  expect(container.innerHTML).toBe(html);
  expect(container.textContent).toBe(text);
});
