import type { Area } from '#contract/areas.ts';
import type { FlowTarget } from '#web/submission/flow.ts';

/** Where a target lies for a screen working in this area. The two old names are D3's to forward. */
export function flowPath(area: Area, target: FlowTarget): string {
  switch (target.to) {
    case 'home':
      return area.home;
    case 'modern-interview':
      return '/modern-interview';
    case 'interview':
      return `${area.base}/interview/${target.topic}`;
    default:
      return `${area.base}/${target.to}`;
  }
}
