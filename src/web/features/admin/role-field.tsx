import type { ComponentPropsWithRef, ReactNode } from 'react';
import { ROLES } from '#contract/roles.ts';
import { Field } from '#web/ui/field.tsx';
import { Select } from '#web/ui/select.tsx';
import { accountsTexts as texts } from './texts.ts';

type RoleFieldProps = ComponentPropsWithRef<'select'> & Readonly<{ error: string | undefined }>;

/** Chooses a role; an account may have none or an unknown one before. */
export function RoleField({ error, required = false, ...select }: RoleFieldProps): ReactNode {
  return (
    <Field label={texts.role} error={error} required={required}>
      <Select defaultValue="" {...select}>
        <option value="" disabled hidden>
          {texts.chooseRole}
        </option>
        {ROLES.map((role) => (
          <option key={role} value={role}>
            {texts.formatRole(role)}
          </option>
        ))}
      </Select>
    </Field>
  );
}
