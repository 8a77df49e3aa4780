import type { Route } from '../route.ts';
import { listFactors, removeFactor, updateFactor } from './admin/factors.ts';
import { generateLink, invite } from './admin/generate-link.ts';
import { createUser, updateUser as adminUpdateUser } from './admin/save-user.ts';
import { createSso, getSso, listSso, removeSso, updateSso } from './admin/sso-providers.ts';
import { deleteUser, getUser as adminGetUser, listUsers } from './admin/users.ts';
import { authorize, linkIdentity, unlinkIdentity } from './identities.ts';
import { callback, callbackForm } from './callback.ts';
import { challenge, verifyFactorRoute } from './factors/challenge.ts';
import { enroll, unenroll } from './factors/enroll.ts';
import { magicLink, otp } from './otp.ts';
import { reauthenticate, recover, resend } from './send-code.ts';
import { samlAcs } from './saml-acs.ts';
import { health, jwks, openidConfiguration, settings } from './service-info.ts';
import { signup } from './signup.ts';
import { samlMetadata, sso } from './sso.ts';
import { logout, token } from './token.ts';
import { getUser, updateUser } from './user.ts';
import { verify, verifyLink } from './verify.ts';

/** All routes of /auth/v1. */
// prettier-ignore
export const ROUTES: readonly Route[] = [
  token, getUser, updateUser, logout, settings, health, jwks, openidConfiguration,
  createUser, listUsers, adminGetUser, adminUpdateUser, deleteUser,
  enroll, challenge, verifyFactorRoute, unenroll, listFactors, removeFactor, updateFactor,
  signup, recover, verify, verifyLink, invite, generateLink,
  otp, magicLink, resend, reauthenticate,
  authorize, callback, linkIdentity, unlinkIdentity,
  sso, samlMetadata, listSso, createSso, getSso, updateSso, removeSso,
];

/** The routes that take a form instead of JSON. */
export const FORM_ROUTES: readonly Route[] = [callbackForm, samlAcs];
