import { Popover as PopoverBase } from '@base-ui/react/popover'
import { Tooltip as TooltipBase } from '@base-ui/react/tooltip'
import type { MouseEventHandler, ReactElement, ReactNode } from 'react'
import { Kbd } from './kbd.tsx'
import { FocusGuards, landmark } from './portal-landmark.ts'

interface PopoverProps {
  readonly label: string
  readonly trigger: ReactElement<Record<string, unknown>>
  readonly side?: 'top' | 'bottom' | 'left' | 'right'
  readonly children: ReactNode
}

/** A small panel beside a button. Escape and a click outside close it. */
export function Popover({ label, trigger, side = 'right', children }: PopoverProps) {
  return (
    <PopoverBase.Root>
      <PopoverBase.Trigger render={trigger} />
      <PopoverBase.Portal>
        <PopoverBase.Positioner side={side} align="start" sideOffset={6} className="z-40">
          <PopoverBase.Popup
            aria-label={label}
            className="overflow-hidden rounded-md border border-line-strong bg-bg-1 shadow-popup outline-none"
          >
            <FocusGuards />
            {children}
          </PopoverBase.Popup>
        </PopoverBase.Positioner>
      </PopoverBase.Portal>
    </PopoverBase.Root>
  )
}

/** Makes a button in a popover close the popover. */
export function PopoverClose({ children }: { readonly children: ReactElement<Record<string, unknown>> }) {
  return <PopoverBase.Close render={children} />
}

interface TooltipProps {
  readonly text: string
  /** Shown after the text: "Mod K". */
  readonly keys?: string | undefined
  readonly side?: 'top' | 'bottom' | 'left' | 'right' | undefined
  /** The element, which must accept a ref and props and have its own label. */
  readonly children: ReactElement<Record<string, unknown>>
  readonly onContextMenu?: MouseEventHandler
}

/** Text on hover and focus. It must not be the only source of any information. */
export function Tooltip({ text, keys, side = 'bottom', children, ...rest }: TooltipProps) {
  return (
    <TooltipBase.Root>
      <TooltipBase.Trigger {...rest} render={children} />
      <TooltipBase.Portal {...landmark('Hint')}>
        <TooltipBase.Positioner side={side} sideOffset={6} className="z-50">
          <TooltipBase.Popup className="flex max-w-72 items-center gap-2 rounded-sm border border-line bg-bg-3 px-2 py-1 text-fg-0 text-sm shadow-popup">
            <span className="min-w-0 whitespace-pre-line break-words">{text}</span>
            {keys !== undefined && <Kbd keys={keys} />}
          </TooltipBase.Popup>
        </TooltipBase.Positioner>
      </TooltipBase.Portal>
    </TooltipBase.Root>
  )
}

/** Wraps the whole window: adjacent tooltips open without a second delay. */
export const TooltipProvider = TooltipBase.Provider
