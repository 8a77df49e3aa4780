export const ADA_ID = '5c1f9f0e-0000-4000-8000-000000000001';

/** Puts a session where supabase-js looks for it; it has not expired, so the backend is not asked. */
export function logIn(): void {
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '');
  const expires_at = Math.floor(Date.now() / 1000) + 3600;
  const user = { id: ADA_ID, email: 'ada@beispiel.test', aud: 'authenticated' };
  const access_token = `${part({ alg: 'ES256' })}.${part({ sub: user.id, exp: expires_at })}.c2ln`;
  const session = { access_token, refresh_token: 'r', token_type: 'bearer', expires_in: 3600, expires_at, user };
  localStorage.setItem('sb-localhost-auth-token', JSON.stringify(session));
}
