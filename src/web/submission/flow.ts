import { createContext, useContext } from 'react';
import type { Area, Flow, Topic } from '#contract/areas.ts';
import { flowTexts } from './texts.ts';

/**
 * What a screen of a flow is handed by the one before it, through the history entry (§2.5–§2.11). Survives reload and
 * back.
 */
export type FlowState = Readonly<{
  transcript?: string;
  interviewId?: string | undefined;
  audioUrl?: string;
  uploadSuccess?: boolean;
  /** The contact details are sent or in the outbox: nothing is left to do. */
  sent?: boolean;
  hasImages?: boolean;
  files?: readonly { path: string; type: string }[];
  /** The part of a screen that has several, so that the browser's back steps through them. */
  stage?: string;
  /** Which way led here, for the count of its steps. */
  way?: string;
  /** The topic of an interview that led here. */
  topic?: string;
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
  /** The way this screen belongs to; undefined where it was entered by its address. */
  way: Way | undefined;
  /** That of the interview, on its way. */
  topic: Topic | undefined;
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

/**
 * The steps of each way to a contribution, counted once from its first screen to its last (decision 0259). The last
 * screens are shared, so the way is handed on in the navigation state.
 */
const WAYS = {
  voice: ['recording', 'transcript', 'images', 'contact'],
  interview: ['topic', 'notes', 'conversation', 'transcript', 'images', 'contact'],
  video: ['video', 'description', 'answers', 'contact'],
  image: ['image', 'description', 'answers', 'contact'],
  document: ['document', 'contact'],
} as const;

export type Way = keyof typeof WAYS;

type Step = (typeof WAYS)[Way][number];

const FIRST_SCREENS: Partial<Record<Flow, Way>> = {
  'voice-message': 'voice',
  interview: 'interview',
  'interview-category': 'interview',
  'video-upload': 'video',
  'image-upload': 'image',
  'document-upload': 'document',
};

/** The way that a screen begins, or that the one before it has handed on. */
export function findWay(flow: Flow, state: FlowState): Way | undefined {
  return FIRST_SCREENS[flow] ?? WAY_NAMES.find((way) => way === state.way);
}

const WAY_NAMES = Object.keys(WAYS) as readonly Way[];

type StepShown = Readonly<{ current: number; total: number; name: string }>;

export function getStep(way: Way | undefined, step: Step): StepShown | undefined {
  const steps: readonly Step[] = way === undefined ? [] : WAYS[way];
  const at = steps.indexOf(step);
  return at < 0 ? undefined : { current: at + 1, total: steps.length, name: flowTexts.steps[step] };
}

/** Where this screen stands on its way. Undefined where the way has no such step, or is not known. */
export function useStep(step: Step): StepShown | undefined {
  return getStep(useFlow().way, step);
}
