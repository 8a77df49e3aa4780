import { z } from 'zod';
import { createAccount } from '../../accounts.ts';
import { validEmail } from '../../addresses.ts';
import { Data, queryText, Text } from '../../body.ts';
import { FAULTS } from '../../errors.ts';
import { deliver, issueCode, takeMail } from '../../mail/codes.ts';
import { acceptedRedirect } from '../../redirects.ts';
import { audit } from '../../repository/audit.ts';
import { identitiesOf } from '../../repository/identities.ts';
import { findUserByEmail, updateUser } from '../../repository/users.ts';
import { adminCall } from '../../route.ts';
import { userJson } from '../../user-json.ts';

const Body = z.object({ email: Text, data: Data });

/** POST /invite: an account whose owner sets the password; whoever was invited but never came is invited again. */
export const invite = adminCall({ method: 'POST', url: '/invite', body: Body }, async (ask) => {
  const { context, body, request, device, at } = ask;
  const email = validEmail(body.email);
  const redirectTo = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
  const made = await context.database.asOwner(async (tx) => {
    const existing = await findUserByEmail(tx, email);
    if (existing !== undefined && existing.email_confirmed_at !== null) throw FAULTS.emailExists();
    await takeMail(context, 'invitation', tx);
    const user = existing ?? (await createAccount(tx, { email, data: body.data, invited: true, at }));
    const invited = await updateUser(tx, user.id, { invited_at: at }, at);
    const issued = await issueCode(context, tx, { user: invited, kind: 'invite', at });
    await audit(tx, { action: 'user_invited', actorId: undefined, userId: user.id, address: device.address, at });
    return { ...issued, json: userJson(issued.user, await identitiesOf(tx, [user.id])) };
  });
  await deliver(context, { to: email, kind: 'invite', made, redirectTo });
  return made.json;
});
