import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { classNames } from './text/class-names.ts'
import { useFinalFocus } from './use-focus.ts'

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
  /** The content has its own height, scrolling and space, and reaches the edges. */
  readonly flush?: boolean
  /** Beside the title, at the right. */
  readonly aside?: ReactNode
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
  flush = false,
  aside,
}: DialogProps) {
  const finalFocus = useFinalFocus(open)
  return (
    <Base.Root open={open} onOpenChange={(next, { event }) => !next && !isSecondClick(event) && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Popup
          finalFocus={finalFocus}
          style={{ width: `${width / 16}rem` }}
          className={classNames(
            'fixed left-1/2 z-40 flex max-w-[calc(100vw-32px)] -translate-x-1/2 flex-col rounded-lg border border-line-strong bg-bg-1 shadow-popup outline-none',
            flush ? 'top-[9vh] h-[42.25rem] max-h-[84vh] overflow-hidden' : 'top-[16vh] max-h-[72vh]',
            className,
          )}
        >
          <div className={flush ? 'border-line border-b px-4 py-2.5' : 'px-5 pt-4'}>
            {aside !== undefined && <div className="float-right">{aside}</div>}
            <Base.Title className="font-semibold text-fg-0 text-lg">{title}</Base.Title>
            {description !== undefined && (
              <Base.Description render={<div />} className="mt-1 text-fg-1 text-md">
                {description}
              </Base.Description>
            )}
          </div>
          {children !== undefined && <Content flush={flush}>{children}</Content>}
          {actions !== undefined ? (
            <div className="flex justify-end gap-2 px-5 py-4">{actions}</div>
          ) : (
            !flush && <div className="h-4" />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** The second click of a double click, whose first one opened the dialog, is not meant for what is around the dialog. */
const isSecondClick = (event: Event): boolean => event instanceof UIEvent && event.detail > 1

/** Text that scrolls, and has nothing that takes the focus, takes it itself: the arrow keys then scroll it. */
function Content({ flush, children }: { readonly flush: boolean; readonly children: ReactNode }) {
  const area = useRef<HTMLDivElement>(null)
  const [takesFocus, setTakesFocus] = useState(false)
  useLayoutEffect(() => {
    const { current } = area
    if (current === null || flush) return
    const scrolls = current.scrollHeight > current.clientHeight + 1
    setTakesFocus(scrolls && current.querySelector(FOCUSABLE) === null)
  })
  return (
    <div
      ref={area}
      {...(takesFocus && { tabIndex: 0 })}
      className={
        flush
          ? 'flex min-h-0 flex-1 flex-col'
          : 'min-h-0 overflow-y-auto px-5 pt-3 focus-visible:-outline-offset-2'
      }
    >
      {children}
    </div>
  )
}

const FOCUSABLE = 'button, input, select, textarea, a[href], [tabindex]'
