import { z } from 'zod';
import { createAccount } from '../../accounts.ts';
import { parseEmail } from '../../addresses.ts';
import { Data, readQuery, Text } from '../../body.ts';
import { ERRORS } from '../../errors.ts';
import { sendCodeMail, issueCode, takeMailQuota } from '../../mail/codes.ts';
import { resolveRedirect } from '../../redirects.ts';
import { audit } from '../../repository/audit.ts';
import { findIdentities } from '../../repository/identities.ts';
import { findUserByEmail, updateUser } from '../../repository/users.ts';
import { adminRoute } from '../../route.ts';
import { userJson } from '../../user-json.ts';

const Body = z.object({ email: Text, data: Data });

/** POST /invite: creates an account whose owner sets the password; an unaccepted invitation is sent again. */
export const invite = adminRoute({ method: 'POST', url: '/invite', body: Body }, async (input) => {
  const { context, body, request, device, at } = input;
  const email = parseEmail(body.email);
  const redirectTo = resolveRedirect(readQuery(request, 'redirect_to'), context.auth);
  const made = await context.database.asOwner(async (tx) => {
    const existing = await findUserByEmail(tx, email);
    if (existing !== undefined && existing.email_confirmed_at !== null) throw ERRORS.emailExists();
    await takeMailQuota(context, 'invitation', tx);
    const user = existing ?? (await createAccount(tx, { email, data: body.data, invited: true, at }));
    const invited = await updateUser(tx, user.id, { invited_at: at }, at);
    const issued = await issueCode(context, tx, { user: invited, kind: 'invite', at });
    await audit(tx, { action: 'user_invited', actorId: undefined, userId: user.id, address: device.address, at });
    return { ...issued, json: userJson(issued.user, await findIdentities(tx, [user.id])) };
  });
  await sendCodeMail(context, { to: email, kind: 'invite', made, redirectTo });
  return made.json;
});
