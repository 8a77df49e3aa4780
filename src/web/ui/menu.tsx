import { clsx } from 'clsx';
import { Check, type Icon } from './icons.tsx';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

export type MenuProps = Readonly<{
  /** The button that opens it; takes a ref. */
  trigger: ReactNode;
  /** What the menu is about, for screen readers. */
  label: string;
  children: ReactNode;
}>;

/** Choices that open from a button: arrows, letters, Enter, Escape. Inside: MenuChoice. */
export function Menu({ trigger, label, children }: MenuProps): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      {/* Within the landmark, so that screen readers know where they are. */}
      <DropdownMenu.Portal container={document.querySelector('main')}>
        <DropdownMenu.Content
          aria-label={label}
          align="end"
          sideOffset={6}
          collisionPadding={12}
          // Risen only while it is open: what seems to move when it closes stays until then, and keeps the focus.
          className={clsx(
            'data-[state=open]:animate-rise z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-56',
            'overflow-y-auto rounded-card border border-line bg-surface p-1.5 shadow-float',
          )}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** `current`: whether it holds now; left out for what is done, not chosen. */
export function MenuChoice({
  icon: Shape,
  current,
  onChoose,
  children,
}: Readonly<{ icon?: Icon; current?: boolean; onChoose: () => void; children: ReactNode }>): ReactNode {
  const Item: typeof DropdownMenu.CheckboxItem = current === undefined ? DropdownMenu.Item : DropdownMenu.CheckboxItem;
  return (
    <Item
      {...(current === undefined ? {} : { checked: current, disabled: current })}
      onSelect={onChoose}
      className={clsx(
        'touch flex cursor-pointer items-center gap-2.5 rounded-control px-3 py-2 outline-none select-none',
        'data-disabled:cursor-default data-highlighted:bg-accent-wash data-highlighted:text-accent-ink',
      )}
    >
      {Shape && <Shape className="size-4.5" />}
      <span className="flex-1">{children}</span>
      {current !== undefined && (
        <DropdownMenu.ItemIndicator>
          <Check className="size-4.5 text-accent-ink" />
        </DropdownMenu.ItemIndicator>
      )}
    </Item>
  );
}
