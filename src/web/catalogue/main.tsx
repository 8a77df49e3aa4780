import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ToastProvider } from '#web/ui/toast.tsx';
import { CataloguePage } from './page.tsx';
import '../ui/styles.css';

const root = document.querySelector('#root');
if (root === null) throw new Error('catalogue.html has no #root');
createRoot(root).render(
  <StrictMode>
    <ToastProvider>
      <CataloguePage />
    </ToastProvider>
  </StrictMode>,
);
