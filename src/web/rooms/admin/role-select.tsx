import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { isRole, ROLES, type Role } from '#contract/roles.ts';
import { useFieldAttributes } from '#web/ui/field.tsx';
import { CONTROL_CLASS } from '#web/ui/text-input.tsx';
import { accountsTexts as texts } from './texts.ts';

/** The platform's own control: it works with a thumb, a keyboard and a screen reader. Inside of a Field. */
export function RoleSelect({
  value,
  onChange,
}: Readonly<{ value: Role | undefined; onChange: (role: Role) => void }>): ReactNode {
  return (
    <div className="relative">
      <select
        {...useFieldAttributes()}
        name="role"
        value={value ?? ''}
        onChange={(event) => {
          if (isRole(event.target.value)) onChange(event.target.value);
        }}
        className={`${CONTROL_CLASS} touch appearance-none bg-surface! pr-11`}
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
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3.5 size-5 -translate-y-1/2 text-muted"
      />
    </div>
  );
}
