import { ContextMenu as BaseContext } from '@base-ui/react/context-menu'
import { Menu as Base } from '@base-ui/react/menu'
import { Check, ChevronDown, type LucideIcon } from 'lucide-react'
import {
  cloneElement,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { ChipButton } from './chip.tsx'
import { Kbd } from './kbd.tsx'
import { FocusGuards, landmark } from './portal-landmark.ts'
import { classNames } from './text/class-names.ts'

interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactElement<Record<string, unknown>>
  readonly children: ReactNode
  readonly align?: 'start' | 'center' | 'end'
  readonly side?: 'top' | 'bottom' | 'left' | 'right'
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
}

const POPUP =
  'z-50 max-h-(--available-height) min-w-44 max-w-96 overflow-y-auto rounded-md border border-line bg-bg-2 p-1 text-sm shadow-popup outline-none'
const ITEM =
  'flex min-h-[26px] select-none items-center gap-2 rounded-sm px-2 text-fg-1 outline-none data-[highlighted]:bg-bg-3 data-[highlighted]:text-fg-0 data-[disabled]:opacity-45'

/** A menu under a button. */
export function Menu({ trigger, children, align = 'start', side = 'bottom', open, onOpenChange }: MenuProps) {
  return (
    <Base.Root
      modal={false}
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange ? { onOpenChange } : {})}
    >
      <Base.Trigger render={trigger} />
      <Base.Portal {...landmark('Menu')}>
        <Base.Positioner align={align} side={side} sideOffset={4} className="z-50 outline-none">
          <Base.Popup className={POPUP}>
            <FocusGuards />
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/**
 * A context menu. A list has many of them, and most never open: the menu is mounted at the first click.
 */
export function ContextMenu({
  area,
  within,
  children,
}: {
  readonly area: ReactElement<Record<string, unknown>>
  /** A selector: the menu opens only there, and for the area itself, which a key asks for. */
  readonly within?: string
  readonly children: ReactNode
}) {
  const [click, setClick] = useState<MouseEvent | null>(null)
  const onContextMenu = (event: MouseEvent) => {
    const { target, currentTarget } = event
    const isInside = target instanceof Element && within !== undefined && target.closest(within) !== null
    if (within !== undefined && target !== currentTarget && !isInside) return
    event.preventDefault()
    event.stopPropagation()
    setClick(event)
  }
  return (
    <>
      {cloneElement(area, { onContextMenu })}
      {click !== null && <OpenedMenu click={click}>{children}</OpenedMenu>}
    </>
  )
}

/** Opens at the position of each new click. */
function OpenedMenu({ click, children }: { readonly click: MouseEvent; readonly children: ReactNode }) {
  const trigger = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { clientX, clientY } = click
    const again = new window.MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY })
    trigger.current?.dispatchEvent(again)
  }, [click])
  return (
    <BaseContext.Root>
      {createPortal(<BaseContext.Trigger ref={trigger} hidden />, document.body)}
      <BaseContext.Portal {...landmark('Menu')}>
        <BaseContext.Positioner className="z-50 outline-none">
          <BaseContext.Popup className={POPUP}>
            <FocusGuards />
            {children}
          </BaseContext.Popup>
        </BaseContext.Positioner>
      </BaseContext.Portal>
    </BaseContext.Root>
  )
}

interface MenuItemProps {
  readonly icon?: LucideIcon
  readonly keys?: string | undefined
  readonly danger?: boolean
  readonly disabled?: boolean
  /** In a line that the entry shares with others. */
  readonly grow?: boolean
  readonly onSelect: () => void
  readonly children: ReactNode
}

/** An entry of a menu. */
export function MenuItem({ icon: Icon, keys, danger, disabled, grow, onSelect, children }: MenuItemProps) {
  return (
    <Base.Item
      disabled={disabled ?? false}
      onClick={onSelect}
      className={classNames(ITEM, danger && 'text-bad data-[highlighted]:text-bad', grow && 'min-w-0 flex-1')}
    >
      {Icon && <Icon size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {keys !== undefined && <Kbd keys={keys} />}
    </Base.Item>
  )
}

interface SideActionProps {
  readonly icon: LucideIcon
  readonly label: string
  readonly onSelect: () => void
}

/** An entry at the end of another entry's line: what else can be done with the same thing. */
export function MenuSideItem({ icon: Icon, label, onSelect }: SideActionProps) {
  return (
    <Base.Item
      onClick={onSelect}
      aria-label={label}
      title={label}
      className={classNames(ITEM, 'shrink-0 px-1.5')}
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden="true" />
    </Base.Item>
  )
}

interface MenuChoiceProps<T extends string> {
  readonly value: T
  readonly options: readonly {
    readonly value: T
    readonly label: string
    readonly hint?: string
    readonly danger?: boolean
    readonly disabled?: boolean
  }[]
  readonly onChange: (value: T) => void
}

/** A group of radio items. */
export function MenuChoice<T extends string>({ value, options, onChange }: MenuChoiceProps<T>) {
  return (
    <Base.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
      {options.map((option) => (
        <Base.RadioItem
          key={option.value}
          value={option.value}
          closeOnClick
          disabled={option.disabled ?? false}
          label={option.label}
          className={classNames(ITEM, 'py-1', option.danger && 'text-bad')}
        >
          <span className="w-3.5 shrink-0">
            <Base.RadioItemIndicator>
              <Check size={14} strokeWidth={2} aria-hidden="true" />
            </Base.RadioItemIndicator>
          </span>
          <span className="min-w-0">
            <span className="block truncate">{option.label}</span>
            {option.hint !== undefined && <span className="block text-fg-2 text-xs">{option.hint}</span>}
          </span>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  )
}

interface MenuCheckProps {
  readonly checked: boolean
  readonly onChange: () => void
  /** At the right, such as a number. */
  readonly note?: string
  readonly children: string
}

/** An entry that is on or off. The menu stays open. */
export function MenuCheck({ checked, onChange, note, children }: MenuCheckProps) {
  return (
    <Base.CheckboxItem checked={checked} onCheckedChange={onChange} label={children} className={ITEM}>
      <span className="w-3.5 shrink-0">
        <Base.CheckboxItemIndicator>
          <Check size={14} strokeWidth={2} aria-hidden="true" />
        </Base.CheckboxItemIndicator>
      </span>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {note !== undefined && <span className="text-fg-2 text-xs">{note}</span>}
    </Base.CheckboxItem>
  )
}

/** The heading of a section of a menu. */
export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return <div className="px-2 pt-1.5 pb-1 font-semibold text-fg-2 text-xs">{children}</div>
}

/** Text in a menu, such as a loading or error message. */
export function MenuNote({ children }: { readonly children: ReactNode }) {
  return <div className="max-w-80 px-2 py-1.5 text-fg-2 text-xs">{children}</div>
}

/** A line between sections of a menu. */
export function MenuSeparator() {
  return <Base.Separator className="my-1 h-px bg-line" />
}

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
