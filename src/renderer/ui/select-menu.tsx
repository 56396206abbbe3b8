import { ChevronDown, type LucideIcon } from 'lucide-react'
import { ChipButton } from './chip.tsx'
import { Menu, MenuChoice, MenuNote } from './menu.tsx'

interface SelectMenuProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string; readonly hint?: string }[]
  readonly onChange: (value: T) => void
  readonly onOpen?: () => void
  /** Before the selected option. */
  readonly icon?: LucideIcon
  /** Text below the options, such as a loading or error message. */
  readonly note?: string | null
}

/** A menu of options behind a button that shows the selected one. */
export function SelectMenu<T extends string>(props: SelectMenuProps<T>) {
  const { label, value, options, onChange, onOpen, icon, note } = props
  const chosen = options.find((option) => option.value === value)?.label ?? value
  return (
    <Menu
      align="end"
      onOpenChange={(open) => open && onOpen?.()}
      trigger={
        <ChipButton
          {...(icon && { icon })}
          aria-label={`${label}: ${chosen}`}
          className="h-7 max-w-[min(18rem,100%)]"
        >
          <span className="truncate">{chosen}</span>
          <ChevronDown size={12} aria-hidden="true" className="shrink-0" />
        </ChipButton>
      }
    >
      <MenuChoice value={value} options={options} onChange={onChange} />
      {note != null && <MenuNote>{note}</MenuNote>}
    </Menu>
  )
}
