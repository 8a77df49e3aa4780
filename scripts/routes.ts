import { writeFileSync } from 'node:fs';
import { formatRoutesPage } from './routes/page.ts';

/** `npm run routes`: writes docs/routes.md from the declarations of the routes. */
writeFileSync('docs/routes.md', formatRoutesPage());
