export type Build = Readonly<{ made: string; stamp: string }>;
export const WEB_BUILD: Build;
export const SERVER_BUILD: Build;
/** Whether the build is there and made from what its sources are now. */
export function isBuilt(build: Build): boolean;
