const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Last part of an upload's address: base64url of `bucket/object/version` (supabase-contract §3.3). */
export function addressOf(bucket: string, name: string, version: string): string {
  return Buffer.from(`${bucket}/${name}/${version}`).toString('base64url');
}

/** The version, under which everything else is found; undefined for anything that is no such address. */
export function versionOf(address: string): string | undefined {
  const version = Buffer.from(address, 'base64url').toString().split('/').at(-1) ?? '';
  return UUID.test(version) ? version : undefined;
}
