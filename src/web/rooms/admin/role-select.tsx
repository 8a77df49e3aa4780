import type { ReactNode } from 'react';
import { ROLES, RoleSchema, type Role } from '#contract/roles.ts';
import { Select } from '#web/ui/select.tsx';
import { accountsTexts as texts } from './texts.ts';

/** Inside of a Field. */
export function RoleSelect({
  value,
  onChange,
}: Readonly<{ value: Role | undefined; onChange: (role: Role) => void }>): ReactNode {
  return (
    <Select
      name="role"
      value={value ?? ''}
      onChange={(event) => {
        const role = RoleSchema.safeParse(event.target.value);
        if (role.success) onChange(role.data);
      }}
    >
      {value === undefined && (
        <option value="" disabled>
          {texts.chooseRole}
        </option>
      )}
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {texts.roleOf(role)}
        </option>
      ))}
    </Select>
  );
}
