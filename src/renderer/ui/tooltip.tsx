import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { MouseEventHandler, ReactElement } from 'react'
import { Kbd } from './kbd.tsx'

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
    <Base.Root>
      <Base.Trigger {...rest} render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-50">
          <Base.Popup className="flex max-w-72 items-center gap-2 rounded-sm border border-line bg-bg-3 px-2 py-1 text-fg-0 text-sm shadow-popup">
            <span className="min-w-0 whitespace-pre-line break-words">{text}</span>
            {keys !== undefined && <Kbd keys={keys} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

/** Wraps the whole window: adjacent tooltips open without a second delay. */
export const TooltipProvider = Base.Provider
