/** Notices at the lower right: failures, and actions to undo. F6 moves the focus there. */
import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { type Notice, onNotice } from '../stores/overlay-store.ts'
import { classNames } from '../ui/text/class-names.ts'

const manager = Toast.createToastManager()

/** Errors and notices with an action stay long enough to act on. In ms. */
const LONG = 10_000
const SHORT = 4000

export function Toasts() {
  useEffect(() => onNotice(show, end), [])
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport
          data-notices=""
          className="fixed right-3 bottom-9 z-50 flex w-96 max-w-[calc(100vw-24px)] flex-col gap-2"
        >
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

/** By what they are about: the notices that may still be shown. */
const shown = new Map<string, string[]>()

function show({ level, text, action, about }: Notice): void {
  const id = manager.add({
    description: text,
    type: level,
    priority: level === 'error' ? 'high' : 'low',
    timeout: level === 'error' || action !== undefined ? LONG : SHORT,
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

function ToastList() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      // The library hides an error until it has the focus; its buttons take the focus, so it must be readable.
      aria-hidden={false}
      aria-label={toast.type === 'error' ? 'Error' : 'Notice'}
      className={classNames(
        'flex items-start gap-2 rounded-md border bg-bg-2 py-2 pr-1.5 pl-3 text-sm shadow-popup transition-opacity duration-150 data-[ending-style]:opacity-0 data-[limited]:hidden data-[starting-style]:opacity-0',
        toast.type === 'error' ? 'border-bad/50' : 'border-line-strong',
      )}
    >
      <Toast.Description data-selectable="" className="min-w-0 flex-1 whitespace-pre-line text-fg-0" />
      <Toast.Action className="rounded-[6px] bg-bg-3 px-2 py-0.5 font-medium text-fg-0 hover:bg-line empty:hidden" />
      <Toast.Close
        // The library hides the button while the notices are stacked; ours is always in view and takes the focus.
        aria-hidden={false}
        aria-label="Close"
        className="grid size-[22px] shrink-0 place-items-center rounded-sm text-fg-2 hover:bg-bg-3 hover:text-fg-0"
      >
        <X size={13} aria-hidden="true" />
      </Toast.Close>
    </Toast.Root>
  ))
}
