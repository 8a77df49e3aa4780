import type { Call } from '../call.ts';
import { createUser } from './admin/create-user.ts';
import { deleteUser } from './admin/delete-user.ts';
import { listFactors, removeFactor } from './admin/factors.ts';
import { generateLink } from './admin/generate-link.ts';
import { getUser as adminGetUser } from './admin/get-user.ts';
import { invite } from './admin/invite.ts';
import { listUsers } from './admin/list-users.ts';
import { createSso } from './admin/sso/create.ts';
import { getSso } from './admin/sso/get.ts';
import { listSso } from './admin/sso/list.ts';
import { removeSso } from './admin/sso/remove.ts';
import { updateSso } from './admin/sso/update.ts';
import { updateFactor } from './admin/update-factor.ts';
import { updateUser as adminUpdateUser } from './admin/update-user.ts';
import { authorize } from './authorize.ts';
import { callback, callbackForm } from './callback.ts';
import { challenge } from './factors/challenge.ts';
import { enroll } from './factors/enroll.ts';
import { unenroll } from './factors/unenroll.ts';
import { verifyFactor } from './factors/verify.ts';
import { getUser } from './get-user.ts';
import { health } from './health.ts';
import { jwks } from './jwks.ts';
import { linkIdentity } from './link-identity.ts';
import { logout } from './logout.ts';
import { otp } from './otp.ts';
import { reauthenticate } from './reauthenticate.ts';
import { recover } from './recover.ts';
import { resend } from './resend.ts';
import { samlAcs } from './saml-acs.ts';
import { samlMetadata } from './saml-metadata.ts';
import { settings } from './settings.ts';
import { signup } from './signup.ts';
import { sso } from './sso.ts';
import { token } from './token.ts';
import { unlinkIdentity } from './unlink-identity.ts';
import { updateUser } from './update-user.ts';
import { verify } from './verify.ts';
import { verifyLink } from './verify-link.ts';

/** Every call of /auth/v1. */
// prettier-ignore
export const CALLS: readonly Call[] = [
  token, getUser, updateUser, logout, settings, health, jwks,
  createUser, listUsers, adminGetUser, adminUpdateUser, deleteUser,
  enroll, challenge, verifyFactor, unenroll, listFactors, removeFactor, updateFactor,
  signup, recover, verify, verifyLink, invite, generateLink,
  otp, resend, reauthenticate,
  authorize, callback, linkIdentity, unlinkIdentity,
  sso, samlMetadata, listSso, createSso, getSso, updateSso, removeSso,
];

/** The calls that take a form instead of JSON. */
export const FORM_CALLS: readonly Call[] = [callbackForm, samlAcs];
