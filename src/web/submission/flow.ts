import { createContext, useContext } from 'react';
import type { Area, Flow } from '#contract/areas.ts';
import type { Topic } from '#contract/topics.ts';
import { flowTexts } from './texts.ts';

/**
 * What a screen of a flow is handed by the one before it, through the history entry (§2.5–§2.11). Survives reload and
 * back.
 */
export type FlowState = Readonly<{
  transcript?: string;
  interviewId?: string;
  audioUrl?: string;
  uploadSuccess?: boolean;
  hasImages?: boolean;
  files?: readonly { path: string; type: string }[];
  /** The part of a screen that has several, so that the browser's back steps through them. */
  stage?: string;
}>;

/** Where a screen may send the user. Features know no paths; the application turns a target into one. */
export type FlowTarget =
  | Readonly<{ to: Exclude<Flow, 'interview'>; state?: FlowState; replace?: boolean }>
  | Readonly<{ to: 'interview'; topic: Topic; state?: FlowState; replace?: boolean }>
  /** The area's start page (§4 'Contact form submit'). */
  | Readonly<{ to: 'home'; replace?: boolean }>
  /** §2.7: `/modern-interview`, §2.11: `/testnormec/content-selection`; D3 forwards them. */
  | Readonly<{ to: 'modern-interview' | 'content-selection'; state?: FlowState; replace?: boolean }>;

export type FlowContext = Readonly<{
  area: Area;
  /** Validated state of this history entry; empty where there is none or it was hand-made. */
  state: FlowState;
  go: (target: FlowTarget) => void;
  /** To the history entry before this one. */
  back: () => void;
  /** Path of a target, for links. */
  href: (target: FlowTarget) => string;
}>;

const Context = createContext<FlowContext | undefined>(undefined);

export const FlowProvider = Context.Provider;

/** The area a screen works in and the ways on from it. Throws outside a flow route. */
export function useFlow(): FlowContext {
  const flow = useContext(Context);
  if (flow === undefined) throw new Error('useFlow outside of a flow route');
  return flow;
}

/** The four steps of a spoken contribution, as every screen of it shows them. */
const STEPS = ['recording', 'transcript', 'images', 'end'] as const;

type Step = (typeof STEPS)[number];

export function stepOf(step: Step): Readonly<{ current: number; total: number; name: string }> {
  return { current: STEPS.indexOf(step) + 1, total: STEPS.length, name: flowTexts.steps[step] };
}
