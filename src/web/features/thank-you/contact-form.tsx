import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { texts } from './texts.ts';
import type { useContact } from './use-contact.ts';

type FieldName = 'firstName' | 'lastName' | 'email';

const FIELDS: readonly Readonly<{ name: FieldName; type: 'text' | 'email'; autoComplete: string }>[] = [
  { name: 'firstName', type: 'text', autoComplete: 'given-name' },
  { name: 'lastName', type: 'text', autoComplete: 'family-name' },
  { name: 'email', type: 'email', autoComplete: 'email' },
];

/** Ceilings of the database. */
const MAX_LENGTH = { text: 200, email: 320 } as const;

/** §2.11 */
export function ContactForm({ contact }: Readonly<{ contact: ReturnType<typeof useContact> }>): ReactNode {
  const { form, submit, sent } = contact;
  const { errors, isSubmitting } = form.formState;
  return (
    <SectionCard title={texts.contactTitle}>
      <p className="mb-5 max-w-measure text-muted">{texts.contactLead}</p>
      <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-4 sm:grid-cols-2">
        {FIELDS.map(({ name, ...attributes }) => (
          <div key={name} className={name === 'email' ? 'sm:col-span-2' : undefined}>
            <Field label={texts[name]} required error={errors[name]?.message}>
              <TextInput
                {...attributes}
                {...form.register(name)}
                maxLength={MAX_LENGTH[attributes.type]}
                readOnly={sent}
              />
            </Field>
          </div>
        ))}
        <div className="flex flex-col sm:col-span-2 sm:items-end">
          <Button type="submit" busy={isSubmitting} busyLabel={texts.submitting} disabled={sent}>
            {texts.submit}
          </Button>
        </div>
      </form>
    </SectionCard>
  );
}
