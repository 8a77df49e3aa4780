const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Columns `owner` (old, uuid only) and `owner_id` for the subject of a token. */
export function ownerColumns(subject: string | undefined): { uuid: string | null; text: string | null } {
  const text = subject ?? null;
  return { uuid: text !== null && UUID.test(text) ? text : null, text };
}
