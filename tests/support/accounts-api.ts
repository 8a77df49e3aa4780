import type { AccountAnswer, AccountErrorCode, AccountFactors, AccountList } from '#contract/accounts.ts';
import type { TestUser } from './accounts.ts';

type Answer = Readonly<{
  status: number;
  code: AccountErrorCode | undefined;
  body: Partial<AccountAnswer & AccountFactors & AccountList>;
  text: string;
}>;

export type AccountsApi = (method: string, path?: string, body?: unknown) => Promise<Answer>;

/** /v1/accounts as the browser of that person calls it; without a person, as anybody. */
export async function accountsApi(url: string, person?: TestUser | string): Promise<AccountsApi> {
  const token =
    typeof person === 'object' ? (await person.client.auth.getSession()).data.session?.access_token : person;
  return async (method, path = '', body) => {
    const response = await fetch(`${url}/v1/accounts${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = (text === '' ? {} : JSON.parse(text)) as Answer['body'] & { error?: { code: AccountErrorCode } };
    return { status: response.status, code: parsed.error?.code, body: parsed, text };
  };
}
