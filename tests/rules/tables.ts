/**
 * Values of a row as SQL. `:interview` has nothing on it yet, `:account` is a member, `:line` is the desk's line of
 * `:interview`.
 */
type Row = Readonly<Record<string, string>>;

/** What a table refuses. A constraint that is missing here is one that no test watches. */
export type TableRules = Readonly<{
  row: Row;
  /** Statements that make room for the row. */
  before?: readonly string[];
  /** Columns that must have a value. */
  required: readonly string[];
  /** By constraint: changes of the row, each of which it refuses. */
  refused?: Readonly<Record<string, readonly Row[]>>;
  /** By constraint: a second row that differs in these values is still the same. */
  unique: Readonly<Record<string, Row>>;
  /**
   * By constraint: a value that is nowhere, the statement after which the row is gone or no longer refers, and which of
   * both.
   */
  references?: Readonly<Record<string, Reference>>;
}>;
type Reference = Readonly<{ missing: Row; remove: string; becomes: 'gone' | 'null' }>;

const NO_INTERVIEW = { interview_id: '999999' };
const REMOVE_INTERVIEW = 'delete from public.interviews where id = :interview';
const REMOVE_ACCOUNT = 'delete from auth.users where id = :account';
const withInterview: Reference = { missing: NO_INTERVIEW, remove: REMOVE_INTERVIEW, becomes: 'gone' };
const text = (length: number): string => `repeat('x', ${length})`;

const PUBLIC_TABLES: Readonly<Record<string, TableRules>> = {
  'public.interviews': {
    row: { id: '900001', user_id: ':account', user_email: `'a@b'` },
    required: ['created_at'],
    refused: {
      interviews_user_email_length: [{ user_email: text(321) }],
      interviews_transcript_length: [{ transcript: text(2_000_001) }],
      interviews_contact_first_name_length: [{ contact_first_name: text(201) }],
      interviews_contact_last_name_length: [{ contact_last_name: text(201) }],
      interviews_contact_email_form: [{ contact_email: `'a@' || ${text(319)}` }, { contact_email: `'a@b@c'` }],
      interviews_w_questions_answers_form: [
        { w_questions_answers: `'"text"'` },
        { w_questions_answers: `'[]'` },
        { w_questions_answers: `'{"how": "so"}'` },
        { w_questions_answers: `'{"who": 1}'` },
        { w_questions_answers: `jsonb_build_object('who', ${text(100_001)})` },
      ],
    },
    unique: { interviews_pkey: {} },
    references: {
      interviews_user_id_fkey: { missing: { user_id: 'gen_random_uuid()' }, remove: REMOVE_ACCOUNT, becomes: 'null' },
    },
  },
  'public.media_uploads': {
    row: { id: '900001', interview_id: ':interview', file_path: `:interview || '/a.png'`, file_type: `'image/png'` },
    required: ['interview_id', 'created_at', 'file_path', 'file_type'],
    refused: {
      media_uploads_file_path_length: [{ file_path: `:interview || '/' || ${text(300)}` }],
      media_uploads_file_path_folder: [{ file_path: `'1' || :interview || '/a.png'` }, { file_path: `'a.png'` }],
      media_uploads_file_type_length: [{ file_type: text(256) }],
      media_uploads_image_rights_known: [{ image_rights: `'perhaps'` }],
      media_uploads_original_name_length: [{ original_name: `''` }, { original_name: text(256) }],
      media_uploads_original_name_plain: [
        { original_name: `'a/b.png'` },
        { original_name: `'a\\b.png'` },
        { original_name: `'a' || chr(10)` },
        { original_name: `chr(8238) || 'gnp.exe'` },
      ],
      media_uploads_spoken_form: [{ spoken: `'{}'` }, { spoken: `jsonb_build_array(${text(1_000_001)})` }],
    },
    unique: {
      media_uploads_pkey: { file_path: `:interview || '/b.png'` },
      media_uploads_interview_id_file_path_key: { id: '900002' },
    },
    references: {
      media_uploads_interview_id_fkey: {
        missing: { interview_id: '999999', file_path: `'999999/a.png'` },
        remove: REMOVE_INTERVIEW,
        becomes: 'gone',
      },
    },
  },
  'public.user_roles': {
    row: { user_id: ':stranger', role: `'firma_a'` },
    required: ['role'],
    refused: { user_roles_role_known: [{ role: `'owner'` }] },
    unique: { user_roles_pkey: {} },
    references: {
      user_roles_user_id_fkey: {
        missing: { user_id: 'gen_random_uuid()' },
        remove: 'delete from auth.users where id = :stranger',
        becomes: 'gone',
      },
    },
  },
  'public.interview_turns': {
    row: { id: '900001', interview_id: ':interview', position: '0', speaker: `'user'`, content: `'Ja'` },
    required: ['interview_id', 'created_at', 'conversation_id', 'position', 'speaker', 'content'],
    refused: {
      interview_turns_conversation_id_length: [{ conversation_id: text(201) }],
      interview_turns_position_range: [{ position: '-1' }, { position: '1000001' }],
      interview_turns_speaker_known: [{ speaker: `'system'` }],
      interview_turns_content_length: [{ content: text(100_001) }],
    },
    unique: { interview_turns_pkey: { position: '1' }, interview_turns_place_key: { id: '900002' } },
    references: { interview_turns_interview_id_fkey: withInterview },
  },
  'public.feedback': {
    row: { id: '900001', interview_id: ':interview', event_id: '0', score: `'like'` },
    required: ['interview_id', 'created_at', 'conversation_id', 'event_id', 'score'],
    refused: {
      feedback_conversation_id_length: [{ conversation_id: text(201) }],
      feedback_event_id_range: [{ event_id: '-1' }],
      feedback_score_known: [{ score: `'love'` }],
    },
    unique: { feedback_pkey: { event_id: '1' } },
    references: { feedback_interview_id_fkey: withInterview },
  },
  'public.contribution_origins': {
    row: { interview_id: ':interview', area: `'generic'` },
    required: ['created_at', 'area'],
    refused: {
      contribution_origins_area_form: [{ area: `'Firma A'` }, { area: text(41) }],
      contribution_origins_kind_known: [{ kind: `'song'` }],
      contribution_origins_topic_form: [{ topic: `'A b'` }, { topic: text(41) }],
    },
    unique: { contribution_origins_pkey: {} },
    references: { contribution_origins_interview_id_fkey: withInterview },
  },
  'public.desk_audit_log': {
    row: { id: '900001', what: `'view'` },
    required: ['at', 'what', 'detail'],
    refused: {
      desk_audit_log_what_form: [{ what: `'View it'` }, { what: text(41) }],
      desk_audit_log_detail_form: [{ detail: `jsonb_build_object('a', repeat('9', 2000)::numeric)` }],
      desk_audit_log_detail_coded: [
        { detail: `'{"name": "Ada"}'` },
        { detail: `'{"Ada Lovelace": 1}'` },
        { detail: `'{"list": [1]}'` },
      ],
      desk_audit_log_what_known: [{ what: `'gossip'` }],
    },
    unique: { desk_audit_log_pkey: {} },
  },
};

const POST = `insert into public.posts (id, interview_id, channel) overriding system value
  values (900001, :interview, 'linkedin')`;
const VERSION = `insert into public.post_versions (post_id, version, body) values (900001, 1, 'Text')`;
const byAccount: Reference = { missing: { created_by: 'gen_random_uuid()' }, remove: REMOVE_ACCOUNT, becomes: 'null' };
const PICTURE = { upload: 1, alt: '', used: true };
const pictures = (...given: readonly unknown[]): Row => ({ pictures: `'${JSON.stringify(given)}'` });

const POST_TABLES: Readonly<Record<string, TableRules>> = {
  'public.posts': {
    row: { id: '900001', interview_id: ':interview', channel: `'linkedin'`, created_by: ':account' },
    required: ['interview_id', 'channel', 'state', 'version', 'created_at', 'changed_at', 'stopped'],
    refused: {
      posts_channel_form: [{ channel: `'Linked In'` }, { channel: text(41) }],
      posts_state_known: [{ state: `'lost'` }],
      posts_sent_version_range: [{ sent_version: '0' }, { sent_version: '2' }],
      posts_state_of_sent: [{ state: `'in_review'` }, { state: `'approved'`, version: '2', sent_version: '1' }],
      posts_published_at_known: [{ state: `'published'`, sent_version: '1' }],
      posts_published_url_form: [
        { published_url: `'javascript:1'` },
        { published_url: `'https://a/"b'` },
        { published_url: `'https://' || ${text(2000)}` },
      ],
    },
    unique: { posts_pkey: {} },
    references: { posts_interview_id_fkey: withInterview, posts_created_by_fkey: byAccount },
  },
  'public.post_versions': {
    row: { post_id: '900001', version: '2', body: `'Text'`, created_by: ':account' },
    before: [POST],
    required: ['body', 'pictures', 'origin', 'created_at'],
    refused: {
      post_versions_version_range: [{ version: '0' }],
      post_versions_body_length: [{ body: text(50_001) }],
      post_versions_pictures_form: [
        { pictures: `'{}'` },
        pictures(1),
        pictures({}),
        pictures({ ...PICTURE, upload: 'a' }),
        pictures({ ...PICTURE, used: 1 }),
        pictures({ ...PICTURE, alt: 1 }),
        pictures({ ...PICTURE, alt: 'x'.repeat(1001) }),
        pictures({ ...PICTURE, size: 1 }),
        pictures(...Array.from({ length: 51 }, () => PICTURE)),
      ],
      post_versions_origin_known: [{ origin: `'nobody'` }],
      post_versions_model_form: [{ model: `'m'` }, { origin: `'model'` }, { origin: `'model'`, model: text(201) }],
    },
    unique: { post_versions_pkey: {} },
    references: {
      post_versions_post_id_fkey: {
        missing: { post_id: '999999' },
        remove: 'delete from public.posts where id = 900001',
        becomes: 'gone',
      },
      post_versions_created_by_fkey: byAccount,
    },
  },
  'public.review_answers': {
    row: { id: '900001', post_id: '900001', version: '1', answer: `'approve'` },
    before: [POST, VERSION],
    required: ['post_id', 'version', 'answer', 'comment', 'created_at'],
    refused: {
      review_answers_answer_known: [{ answer: `'perhaps'` }],
      review_answers_comment_length: [{ comment: text(5001) }],
      review_answers_comment_of_change: [{ answer: `'change'` }, { answer: `'change'`, comment: `E' \\n'` }],
    },
    unique: { review_answers_pkey: {} },
    references: {
      review_answers_version_fkey: {
        missing: { post_id: '999999' },
        remove: 'delete from public.post_versions where post_id = 900001',
        becomes: 'gone',
      },
    },
  },
  'private.review_links': {
    row: { id: '900001', interview_id: ':interview', key_hash: `sha256('a')`, created_by: ':account' },
    required: ['interview_id', 'key_hash', 'created_at', 'expires_at'],
    refused: { review_links_key_hash_length: [{ key_hash: `'\\x01'` }] },
    unique: {
      review_links_pkey: { key_hash: `sha256('b')`, revoked_at: 'now()' },
      review_links_key_hash_key: { id: '900002', revoked_at: 'now()' },
    },
    references: { review_links_interview_id_fkey: withInterview, review_links_created_by_fkey: byAccount },
  },
};

const DESK_TABLES: Readonly<Record<string, TableRules>> = {
  'private.desk_items': {
    row: {
      interview_id: ':interview',
      area: `'generic'`,
      kind: `'image'`,
      contributor: `''`,
      created_at: 'now()',
      changed_at: 'now()',
      finished: 'false',
      files: '0',
      assignee: ':account',
    },
    before: ['delete from private.desk_items where interview_id = :interview'],
    required: ['area', 'kind', 'contributor', 'created_at', 'changed_at', 'finished', 'files', 'state', 'version'],
    refused: {
      desk_items_state_known: [{ state: `'lost'` }],
      desk_items_published_url_form: [
        { published_url: `'javascript:1'` },
        { published_url: `'https://' || ${text(2000)}` },
      ],
    },
    unique: { desk_items_pkey: {} },
    references: {
      desk_items_interview_id_fkey: withInterview,
      desk_items_assignee_fkey: { missing: { assignee: 'gen_random_uuid()' }, remove: REMOVE_ACCOUNT, becomes: 'null' },
    },
  },
  'private.desk_search': {
    row: {
      interview_id: ':interview',
      area: `'generic'`,
      kind: `'image'`,
      finished: 'false',
      state: `'new'`,
      created_at: 'now()',
      words: `''`,
    },
    before: ['delete from private.desk_search where interview_id = :interview'],
    required: ['area', 'kind', 'finished', 'state', 'created_at', 'words'],
    unique: { desk_search_pkey: {} },
    references: { desk_search_interview_id_fkey: withInterview },
  },
  'private.desk_stale': {
    row: { interview_id: ':interview', cause: `'22000'` },
    required: ['at', 'cause'],
    unique: { desk_stale_pkey: {} },
  },
  'private.desk_removals': { row: { id: '900001' }, required: ['at'], unique: { desk_removals_pkey: {} } },
  'private.desk_events': {
    row: { id: '900001', interview_id: ':interview', what: `'note'` },
    required: ['interview_id', 'at', 'what', 'of_posts'],
    refused: { desk_events_what_known: [{ what: `'song'` }], desk_events_text_length: [{ text: text(10_001) }] },
    unique: { desk_events_pkey: {} },
    references: { desk_events_interview_id_fkey: withInterview },
  },
  'private.desk_mails': {
    row: {
      id: '900001',
      key: `'k'`,
      interview_id: ':interview',
      mail: `'new'`,
      event_id: ':event',
      asked_by: ':account',
    },
    required: ['key', 'interview_id', 'mail', 'message_id', 'created_at', 'due_at', 'state', 'attempts'],
    refused: { desk_mails_mail_known: [{ mail: `'spam'` }], desk_mails_state_known: [{ state: `'lost'` }] },
    unique: { desk_mails_pkey: { key: `'l'` }, desk_mails_key_key: { id: '900002' } },
    references: {
      desk_mails_interview_id_fkey: {
        missing: { interview_id: '999999', event_id: 'null' },
        remove: REMOVE_INTERVIEW,
        becomes: 'gone',
      },
      desk_mails_event_id_fkey: {
        missing: { event_id: '999999' },
        remove: 'delete from private.desk_events where id = :event',
        becomes: 'gone',
      },
      desk_mails_asked_by_fkey: {
        missing: { asked_by: 'gen_random_uuid()' },
        remove: REMOVE_ACCOUNT,
        becomes: 'null',
      },
    },
  },
  'private.desk_tickets': {
    row: { id: `'\\x01'`, owner: ':account', sealed: `'\\x01'` },
    required: ['owner', 'sealed', 'expires_at'],
    refused: { desk_tickets_sealed_length: [{ sealed: `convert_to(${text(20_001)}, 'UTF8')` }] },
    unique: { desk_tickets_pkey: {} },
  },
};

const COUNTS = ['files', 'turns', 'feedback', 'events', 'mails', 'accounts', 'posts'];

const ERASURE_TABLES: Readonly<Record<string, TableRules>> = {
  'private.erasures': {
    row: { id: ':uuid', what: `'contribution'`, contribution: '1' },
    required: ['at', 'what', 'claimed_until'],
    refused: {
      erasures_subject: [
        { what: `'everything'` },
        { contribution: 'null' },
        { email: `'a@b'` },
        { what: `'person'`, contribution: 'null' },
        { what: `'person'`, email: `'a@b'` },
        { what: `'discarded'`, contribution: 'null' },
        { what: `'discarded'`, email: `'a@b'` },
        { what: `'retention'`, contribution: 'null' },
        { what: `'retention'`, before: 'now()' },
      ],
    },
    unique: { erasures_pkey: {} },
  },
  'private.erasure_counts': {
    row: { erasure: ':erasure', contribution: '1' },
    required: COUNTS,
    unique: { erasure_counts_pkey: {} },
    references: {
      erasure_counts_erasure_fkey: {
        missing: { erasure: 'gen_random_uuid()' },
        remove: 'delete from private.erasures where id = :erasure',
        becomes: 'gone',
      },
    },
  },
  'private.erased_contributions': {
    row: { interview_id: '900001' },
    required: ['at'],
    unique: { erased_contributions_pkey: {} },
  },
  'private.erased_letters': { row: { message_id: ':uuid' }, required: ['at'], unique: { erased_letters_pkey: {} } },
  'private.erasure_receipts': {
    row: {
      id: ':uuid',
      what: `'person'`,
      contributions: '0',
      ...Object.fromEntries(COUNTS.map((column) => [column, '0'])),
    },
    required: ['at', 'what', 'contributions', ...COUNTS],
    unique: { erasure_receipts_pkey: {} },
  },
  'private.retention': {
    row: { days: '30' },
    before: ['delete from private.retention'],
    required: ['days', 'since'],
    refused: { retention_single_check: [{ single: 'false' }] },
    unique: { retention_pkey: {} },
  },
};

const OTHER_TABLES: Readonly<Record<string, TableRules>> = {
  'private.consent_texts': {
    row: { version: `repeat('a', 64)`, text: `'Ich stimme zu.'` },
    required: ['text', 'known_since', 'required'],
    refused: {
      consent_texts_version_is_digest: [{ version: `repeat('A', 64)` }, { version: `repeat('a', 63)` }],
      consent_texts_text_bounded: [{ text: `''` }, { text: text(20_001) }],
    },
    unique: { consent_texts_pkey: {} },
  },
  'private.consents': {
    row: { interview_id: ':interview', version: `repeat('a', 64)` },
    before: [`insert into private.consent_texts (version, text) values (repeat('a', 64), 'Ich stimme zu.')`],
    required: ['accepted_at'],
    unique: { consents_pkey: {} },
    references: {
      consents_interview_id_fkey: withInterview,
      consents_version_fkey: {
        missing: { version: `repeat('b', 64)` },
        remove: `delete from private.consent_texts where version = repeat('a', 64)`,
        becomes: 'gone',
      },
    },
  },
  'private.interview_keys': {
    row: { key_hash: `'\\x01'`, interview_id: ':interview' },
    required: ['created_at', 'expires_at'],
    unique: { interview_keys_pkey: {} },
  },
  'private.settings': {
    row: { name: `'colour'`, value: `'1'` },
    required: ['value'],
    unique: { settings_pkey: {} },
  },
  'private.submission_tokens': {
    row: { token_hash: `'\\x01'`, interview_id: ':interview' },
    required: ['interview_id', 'created_at'],
    unique: { submission_tokens_pkey: {} },
    references: { submission_tokens_interview_id_fkey: withInterview },
  },
  'private.network_key': {
    row: { key: `'\\x01'` },
    before: ['delete from private.network_key'],
    required: ['key', 'made_at'],
    refused: { network_key_one_row: [{ id: 'false' }] },
    unique: { network_key_pkey: {} },
  },
  'private.network_counts': {
    row: { network: `'\\x01'`, what: `'rows'`, amount: '1' },
    required: ['amount', 'since'],
    refused: { network_counts_what_known: [{ what: `'clicks'` }] },
    unique: { network_counts_pkey: {} },
  },
  'private.contribution_usage': {
    row: { interview_id: ':interview' },
    required: ['files', 'turns', 'feedback', 'turn_characters'],
    unique: { contribution_usage_pkey: {} },
    references: { contribution_usage_interview_id_fkey: withInterview },
  },
  'private.upload_volumes': {
    row: { day: 'current_date', network_hash: `sha256('network')`, files: '1', bytes: '1' },
    required: ['files', 'bytes'],
    unique: { upload_volumes_pkey: { files: '2' } },
  },
  'private.voice_tickets': {
    row: { id: `'\\x01'`, owner: `'a'`, sealed: `'\\x01'`, expires_at: 'now()' },
    required: ['owner', 'sealed', 'expires_at'],
    unique: { voice_tickets_pkey: {} },
  },
  'private.voice_sessions': {
    row: { id: ':uuid', subject: `'a'`, paid: 'true', alive_until: 'now()' },
    required: ['subject', 'paid', 'started_at', 'alive_until', 'guest'],
    unique: { voice_sessions_pkey: {} },
  },
  'private.voice_minutes': {
    row: { day: 'current_date', subject: `'a'`, used_ms: '1' },
    required: ['used_ms', 'guest'],
    refused: { voice_minutes_used_ms_check: [{ used_ms: '-1' }] },
    unique: { voice_minutes_pkey: {} },
  },
};

/** Every table of the product's schemas. */
export const TABLES: Readonly<Record<string, TableRules>> = {
  ...PUBLIC_TABLES,
  ...POST_TABLES,
  ...DESK_TABLES,
  ...ERASURE_TABLES,
  ...OTHER_TABLES,
};
