import { BLIND_INSERTS, MATRIX_RULES } from './access.ts';
import { DESK_RULES } from './desk.ts';
import { ERASURE_RULES } from './erasure.ts';
import { FILE_RULES } from './files.ts';
import { FUNCTION_RULES } from './functions.ts';
import { CONSENT_RULES } from './consent.ts';
import { CORRECTED_ADDRESS_RULES } from './corrected-addresses.ts';
import { IMAGE_RIGHTS_RULES } from './image-rights.ts';
import { INBOX_RULES } from './inbox.ts';
import { INTERVIEW_RULES, KEY_RULES } from './keys.ts';
import { LETTER_RULES } from './letters.ts';
import { LIMIT_RULES } from './limits.ts';
import { LISTING_RULES } from './listing.ts';
import { LIVING_SESSION_RULES } from './living-session.ts';
import { LOCK_RULES } from './locks.ts';
import { MAIL_RULES } from './mails.ts';
import { MEANWHILE_RULES } from './meanwhile.ts';
import { OWN_CONTRIBUTION_RULES } from './own-contributions.ts';
import { OVERTAKEN_MAIL_RULES } from './overtaken-mails.ts';
import { PEOPLE_RULES } from './people.ts';
import { POST_RULES } from './posts.ts';
import { RECEIPT_MAIL_RULES } from './receipt-mails.ts';
import { RECEIPT_RULES } from './receipts.ts';
import { RETENTION_RULES } from './retention.ts';
import { REVIEW_RULES } from './reviews.ts';
import { REVIEW_MAIL_SCOPE_RULES } from './review-mail-scope.ts';
import { REVIEW_MAIL_RULES } from './review-mails.ts';
import { ROW_RULES } from './rows.ts';
import type { Rule } from './rules.ts';
import { SEARCH_ROW_RULES } from './search-rows.ts';
import { SESSION_RULES } from './sessions.ts';
import { STATE_FOLLOWS_POSTS_RULES } from './state-follows-posts.ts';
import { TICKET_RULES } from './tickets.ts';
import { UPLOAD_RULES } from './uploads.ts';

/**
 * All but the cells of the matrix, which tests/wire/schema-matrix.test.ts runs through the services' own connections.
 */
export const OWN_RULES: readonly Rule[] = [
  ...BLIND_INSERTS,
  ...KEY_RULES,
  ...INTERVIEW_RULES,
  ...FILE_RULES,
  ...FUNCTION_RULES,
  ...CONSENT_RULES,
  ...CORRECTED_ADDRESS_RULES,
  ...IMAGE_RIGHTS_RULES,
  ...DESK_RULES,
  ...INBOX_RULES,
  ...LETTER_RULES,
  ...LIMIT_RULES,
  ...LISTING_RULES,
  ...LOCK_RULES,
  ...MAIL_RULES,
  ...MEANWHILE_RULES,
  ...ERASURE_RULES,
  ...RETENTION_RULES,
  ...RECEIPT_RULES,
  ...RECEIPT_MAIL_RULES,
  ...OWN_CONTRIBUTION_RULES,
  ...PEOPLE_RULES,
  ...POST_RULES,
  ...REVIEW_RULES,
  ...REVIEW_MAIL_RULES,
  ...REVIEW_MAIL_SCOPE_RULES,
  ...STATE_FOLLOWS_POSTS_RULES,
  ...OVERTAKEN_MAIL_RULES,
  ...TICKET_RULES,
  ...UPLOAD_RULES,
  ...LIVING_SESSION_RULES,
  ...ROW_RULES,
  ...SEARCH_ROW_RULES,
  ...SESSION_RULES,
];

export const RULES: readonly Rule[] = [...OWN_RULES, ...MATRIX_RULES];
