import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { config } from 'zod/v4/core';
import { Boot } from '#web/app/application.tsx';
import { fetchFirst } from '#web/app/screens.ts';
import './ui/styles.css';

// Threat 9: no code is made from text; zod would try whether it may, wherever a schema is made.
config({ jitless: true });

const first = fetchFirst(location.pathname);
const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <Boot first={first} />
  </StrictMode>,
);
