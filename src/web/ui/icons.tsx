/**
 * The icons of the shell and the design system, of Lucide 1.75.0 (decision 0207).
 * @license ISC and MIT, © Lucide Icons and Contributors, © Cole Bemis (Feather): icons.LICENSE.txt
 */
import type { ComponentProps, ReactNode } from 'react';
import * as paths from './icons.json';

export type Icon = (props: Omit<ComponentProps<'svg'>, 'children'>) => ReactNode;

/** Draws one path of strokes on a grid of 24 × 24, as decoration: words stand beside it or name the control. */
export function icon(path: string): Icon {
  return (props) => (
    <svg
      aria-hidden
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...props}
    >
      <path d={path} />
    </svg>
  );
}

export const ArrowLeft = icon(paths.ArrowLeft);
export const ArrowRight = icon(paths.ArrowRight);
export const Camera = icon(paths.Camera);
export const Check = icon(paths.Check);
export const ChevronDown = icon(paths.ChevronDown);
export const CircleAlert = icon(paths.CircleAlert);
export const CircleCheck = icon(paths.CircleCheck);
export const CircleUser = icon(paths.CircleUser);
export const Clock = icon(paths.Clock);
export const CloudOff = icon(paths.CloudOff);
export const File = icon(paths.File);
export const HardDriveDownload = icon(paths.HardDriveDownload);
export const Info = icon(paths.Info);
export const LogOut = icon(paths.LogOut);
export const RotateCw = icon(paths.RotateCw);
export const TriangleAlert = icon(paths.TriangleAlert);
export const Upload = icon(paths.Upload);
export const X = icon(paths.X);
