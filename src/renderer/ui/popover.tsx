import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'

interface PopoverProps {
  readonly label: string
  readonly trigger: ReactElement<Record<string, unknown>>
  readonly side?: 'top' | 'bottom' | 'left' | 'right'
  readonly children: ReactNode
}

/** A small panel beside a button. Escape and a click outside close it. */
export function Popover({ label, trigger, side = 'right', children }: PopoverProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner side={side} align="start" sideOffset={6} className="z-40">
          <Base.Popup
            aria-label={label}
            className="overflow-hidden rounded-md border border-line-strong bg-bg-1 shadow-popup outline-none"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** Makes a button in a popover close the popover. */
export function PopoverClose({ children }: { readonly children: ReactElement<Record<string, unknown>> }) {
  return <Base.Close render={children} />
}
