/**
 * §4 'files are only kept in memory': what could not be sent for a contribution, so that its upload screen finds it again as
 * long as this page is open. At most one contribution's files.
 */
let held: Readonly<{ interviewId: string; files: readonly File[] }> | undefined;

export function holdFiles(interviewId: string, files: readonly File[]): void {
  held = { interviewId, files };
}

export function heldFilesOf(interviewId: string | undefined): readonly File[] {
  return held !== undefined && held.interviewId === interviewId ? held.files : [];
}

export function releaseFiles(): void {
  held = undefined;
}
