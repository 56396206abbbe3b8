/**
 * Notices at the right end of the status bar: failures, and actions to undo. None covers a control; a long one is read in
 * a dialog. Of several the newest is shown with the number of the others, whose time begins when they are shown again. F6
 * moves the focus there.
 */
import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { create } from 'zustand'
import { type Notice, onNotice } from '../stores/overlay-store.ts'
import { Dialog } from '../ui/dialog.tsx'
import { classNames } from '../ui/text/class-names.ts'

const manager = Toast.createToastManager()

/** Errors and notices with an action stay long enough to act on. In ms. */
const LONG = 10_000
const SHORT = 4000
/** A longer text does not fit on the line. */
const LINE_LENGTH = 80

/** The place for notices in the status bar; null: this page has none. */
const useSlot = create<{ readonly element: HTMLElement | null }>()(() => ({ element: null }))

/** Mounted once in the status bar. */
export function NoticeSlot() {
  return <div ref={takeSlot} className="flex min-w-0 shrink justify-end" />
}

function takeSlot(element: HTMLElement | null): void {
  useSlot.setState({ element })
}

export function Toasts() {
  useEffect(() => onNotice(show, end), [])
  const slot = useSlot((state) => state.element)
  const [read, setRead] = useState<readonly string[]>([])
  return (
    <>
      <Toast.Provider toastManager={manager} limit={1}>
        <Toast.Portal container={slot ?? document.body}>
          <Toast.Viewport
            data-notices=""
            className={classNames(
              'flex min-w-0',
              // A page without a status bar has nothing to press at its foot.
              slot === null && 'fixed right-0 bottom-0 z-50 max-w-full bg-bg-1 p-1',
            )}
          >
            <ToastList onRead={setRead} />
          </Toast.Viewport>
        </Toast.Portal>
      </Toast.Provider>
      <Dialog
        open={read.length > 0}
        onClose={() => setRead([])}
        title={read.length > 1 ? 'Notices' : 'Notice'}
      >
        <p data-selectable="" className="whitespace-pre-line pb-1 text-fg-0 text-md wrap-anywhere">
          {read.join('\n\n')}
        </p>
      </Dialog>
    </>
  )
}

/** By what they are about: the notices that may still be shown. */
const shown = new Map<string, string[]>()

function show({ level, text, action, about }: Notice): void {
  const id = manager.add({
    description: text,
    type: level,
    priority: level === 'error' ? 'high' : 'low',
    data: { shownFor: level === 'error' || action !== undefined ? LONG : SHORT },
    // Begins when it is in view.
    timeout: 0,
    ...(action === undefined
      ? {}
      : {
          actionProps: {
            children: action.label,
            onClick: () => {
              action.run()
              manager.close(id)
            },
          },
        }),
  })
  if (about !== undefined) shown.set(about, [...(shown.get(about) ?? []), id])
}

function end(about: string): void {
  for (const id of shown.get(about) ?? []) manager.close(id)
  shown.delete(about)
}

const textOf = ({ description }: { readonly description?: ReactNode }): string =>
  typeof description === 'string' ? description : ''

const ACTION = 'shrink-0 rounded-[4px] bg-bg-3 px-1.5 font-medium text-fg-0 hover:bg-line'

function ToastList({ onRead }: { readonly onRead: (texts: readonly string[]) => void }) {
  const { toasts } = Toast.useToastManager<{ readonly shownFor: number }>()
  const present = toasts.filter(({ transitionStatus }) => transitionStatus !== 'ending')
  useEffect(() => {
    for (const { id, limited, timeout, data } of present) {
      const wanted = limited ? 0 : (data?.shownFor ?? SHORT)
      if (timeout !== wanted) manager.update(id, { timeout: wanted })
    }
  })
  const others = present.length - 1
  return toasts.map((toast) => {
    const text = textOf(toast)
    const isLong = text.length > LINE_LENGTH || text.includes('\n')
    return (
      <Toast.Root
        key={toast.id}
        toast={toast}
        // The library hides an error until it has the focus; its buttons take the focus, so it must be readable.
        aria-hidden={false}
        aria-label={toast.type === 'error' ? 'Error' : 'Notice'}
        className={classNames(
          'flex h-5 min-w-0 items-center gap-2 rounded-sm border bg-bg-2 pr-0.5 pl-2 font-normal font-sans text-xs transition-opacity duration-150 data-[ending-style]:opacity-0 data-[limited]:hidden data-[starting-style]:opacity-0',
          toast.type === 'error' ? 'border-bad/50' : 'border-line-strong',
        )}
      >
        <Toast.Description
          data-selectable=""
          title={text}
          className="min-w-0 max-w-[34rem] truncate text-fg-0"
        />
        {isLong && (
          <button type="button" className={ACTION} onClick={() => onRead([text])}>
            Read
          </button>
        )}
        <Toast.Action className={`${ACTION} empty:hidden`} />
        {others > 0 && (
          <button type="button" className={ACTION} onClick={() => onRead(present.map(textOf))}>
            {others} more
          </button>
        )}
        <Toast.Close
          // The library hides the button while the notices are stacked; ours is always in view and takes the focus.
          aria-hidden={false}
          aria-label="Close"
          className="grid size-4 shrink-0 place-items-center rounded-sm text-fg-2 hover:bg-bg-3 hover:text-fg-0"
        >
          <X size={11} aria-hidden="true" />
        </Toast.Close>
      </Toast.Root>
    )
  })
}
