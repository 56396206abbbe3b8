/** Notices for the user, which the app shows as toasts. One that no longer holds leaves at once. */
import { callOf, onCallDone } from '../bridge.ts'

export interface Notice {
  readonly level: 'info' | 'error'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
  /** What it is about, for `endNotices`. */
  readonly about?: string
}

interface Listener {
  readonly show: (notice: Notice) => void
  readonly end: (about: string) => void
}

const listeners = new Set<Listener>()

/** Shows a notice. */
export function showNotice(notice: Notice): void {
  for (const listener of listeners) listener.show(notice)
}

/** Shows the message of a failed command, until the same command succeeds. */
export function showFailure(failure: { readonly message: string }): void {
  const about = callOf(failure)
  showNotice({ level: 'error', text: failure.message, ...(about && { about }) })
}

/** Takes away the notices about something that is in order again. */
export function endNotices(about: string): void {
  for (const listener of listeners) listener.end(about)
}

onCallDone(endNotices)

/** Calls back with each notice, and with what is in order again, until the returned function is called. */
export function onNotice(show: Listener['show'], end: Listener['end'] = () => {}): () => void {
  const listener = { show, end }
  listeners.add(listener)
  return () => listeners.delete(listener)
}
