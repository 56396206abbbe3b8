/** Notices for the user, which the app shows as toasts. */

export interface Notice {
  readonly level: 'info' | 'error'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

const listeners = new Set<(notice: Notice) => void>()

/** Shows a notice. */
export function showNotice(notice: Notice): void {
  for (const listener of listeners) listener(notice)
}

/** Shows the message of a failed command. */
export function showFailure(failure: { readonly message: string }): void {
  showNotice({ level: 'error', text: failure.message })
}

/** Calls back with each notice until the returned function is called. */
export function onNotice(listener: (notice: Notice) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
