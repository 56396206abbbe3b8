import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { MouseEventHandler, ReactElement } from 'react'
import { Kbd } from './kbd.tsx'

interface TooltipProps {
  readonly text: string
  /** Shown after the text: "Mod K". */
  readonly keys?: string | undefined
  readonly side?: 'top' | 'bottom' | 'left' | 'right' | undefined
  /** The element it explains: one that takes a ref and props. It needs its own label. */
  readonly children: ReactElement<Record<string, unknown>>
  readonly onContextMenu?: MouseEventHandler
}

/** Words on hover and focus. Never the only place where something is said. */
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

/** Around the whole window: tooltips near each other open without a second wait. */
export const TooltipProvider = Base.Provider
