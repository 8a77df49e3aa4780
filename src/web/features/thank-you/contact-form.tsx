import { type ReactNode, useId } from 'react';
import { Button } from '#web/ui/button.tsx';
import { ConsentText, SectionCard } from '#web/ui/card.tsx';
import { Field, FieldError } from '#web/ui/field.tsx';
import { EmailField, TextInput } from '#web/ui/form-fields.tsx';
import { useBackendConfig } from '#web/backend/client.ts';
import { texts } from './texts.ts';
import type { useContact } from './use-contact.ts';

const NAMES = [
  { name: 'firstName', autoComplete: 'given-name' },
  { name: 'lastName', autoComplete: 'family-name' },
] as const;

/** Ceilings of the database. */
const NAME_MAX_LENGTH = 200;
const EMAIL_MAX_LENGTH = 320;

/** §2.11 */
export function ContactForm({ contact }: Readonly<{ contact: ReturnType<typeof useContact> }>): ReactNode {
  const { form, sent } = contact;
  return (
    <SectionCard title={texts.contactTitle}>
      <p className="mb-5 max-w-measure text-muted">{texts.contactLead}</p>
      <form noValidate onSubmit={form.submit} onChange={contact.keepDraft} className="grid gap-4 sm:grid-cols-2">
        {NAMES.map(({ name, autoComplete }) => (
          <Field key={name} label={texts[name]} required error={form.getError(name)}>
            <TextInput
              {...form.register(name)}
              autoComplete={autoComplete}
              maxLength={NAME_MAX_LENGTH}
              readOnly={sent}
            />
          </Field>
        ))}
        <div className="sm:col-span-2">
          <EmailField
            label={texts.email}
            {...form.field('email')}
            autoComplete="email"
            maxLength={EMAIL_MAX_LENGTH}
            readOnly={sent}
          />
        </div>
        <label className="grid cursor-pointer grid-cols-[auto_1fr] items-center gap-x-3 py-1 sm:col-span-2">
          <input
            type="checkbox"
            checked={contact.foreign}
            disabled={sent}
            onChange={(event) => contact.setForeign(event.target.checked)}
            className="size-5"
          />
          <span>{texts.foreignDevice}</span>
          <span className="col-start-2 text-sm text-muted">{texts.foreignDeviceHint}</span>
        </label>
        <Consent form={form} disabled={sent} />
        <div className="flex flex-col sm:col-span-2 sm:items-end">
          <Button type="submit" busy={form.formState.isSubmitting} busyLabel={texts.submitting} idle={sent}>
            {texts.submit}
          </Button>
        </div>
      </form>
    </SectionCard>
  );
}

type ConsentProps = Readonly<{ form: ReturnType<typeof useContact>['form']; disabled: boolean }>;

/** The exact text, and the box that agrees to it; nothing where the operator asks for none (decision 0267). */
function Consent({ form, disabled }: ConsentProps): ReactNode {
  const id = useId();
  const { consent } = useBackendConfig();
  if (consent === undefined) return null;
  const error = form.getError('agreed');
  return (
    <div className="flex flex-col gap-2 sm:col-span-2">
      <h3 className="font-medium">{texts.consentTitle}</h3>
      <ConsentText label={texts.consentTitle}>{consent.text}</ConsentText>
      <label className="grid cursor-pointer grid-cols-[auto_1fr] items-center gap-x-3 py-1">
        <input
          type="checkbox"
          {...form.register('agreed')}
          disabled={disabled}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          className="size-5"
        />
        <span>{texts.consent}</span>
      </label>
      {error !== undefined && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}
