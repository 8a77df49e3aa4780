import { isBuilt, WEB_BUILD } from '../../scripts/build/builds.mjs';

/** Global set-up of Playwright: the browser would test an older application without a word. */
export default function checkWebBuild(): void {
  if (!isBuilt(WEB_BUILD)) throw new Error('dist/web is not built from these sources: npm run build');
}
