import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Boot } from '#web/app/application.tsx';
import { fetchFirst } from '#web/app/screens.tsx';
import './ui/styles.css';

const first = fetchFirst(location.pathname);
const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <Boot first={first} />
  </StrictMode>,
);
