import type { ReactNode } from 'react';
import { isRole, ROLES, type Role } from '#contract/roles.ts';
import { Select } from '#web/ui/select.tsx';
import { accountsTexts as texts } from './texts.ts';

/** Belongs inside a Field. */
export function RoleSelect({
  value,
  onChange,
}: Readonly<{ value: Role | undefined; onChange: (role: Role) => void }>): ReactNode {
  return (
    <Select
      name="role"
      value={value ?? ''}
      onChange={(event) => {
        if (isRole(event.target.value)) onChange(event.target.value);
      }}
    >
      {value === undefined && (
        <option value="" disabled>
          {texts.chooseRole}
        </option>
      )}
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {texts.formatRole(role)}
        </option>
      ))}
    </Select>
  );
}
