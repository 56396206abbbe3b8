import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { useFinalFocus } from './use-final-focus.ts'

interface DialogProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  /** The explanation below the title. */
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** The buttons at the right; the confirming button comes last. */
  readonly actions?: ReactNode
  /** The width in px at the default text size. */
  readonly width?: number
  readonly className?: string
}

/** A modal dialog. Escape and a click outside close it; the focus then returns to its origin. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  actions,
  width = 460,
  className,
}: DialogProps) {
  const finalFocus = useFinalFocus(open)
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Popup
          finalFocus={finalFocus}
          style={{ width: `${width / 16}rem` }}
          className={classNames(
            'fixed top-[16vh] left-1/2 z-40 flex max-h-[72vh] max-w-[calc(100vw-32px)] -translate-x-1/2 flex-col rounded-lg border border-line-strong bg-bg-1 shadow-popup outline-none',
            className,
          )}
        >
          <div className="px-5 pt-4">
            <Base.Title className="font-semibold text-fg-0 text-lg">{title}</Base.Title>
            {description !== undefined && (
              <Base.Description render={<div />} className="mt-1 text-fg-1 text-md">
                {description}
              </Base.Description>
            )}
          </div>
          {children !== undefined && <div className="min-h-0 overflow-y-auto px-5 pt-3">{children}</div>}
          {actions !== undefined ? (
            <div className="flex justify-end gap-2 px-5 py-4">{actions}</div>
          ) : (
            <div className="h-4" />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
