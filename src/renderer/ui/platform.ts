/** Whether shortcuts use the keys of a Mac. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>

/** Whether the keys are the shortcut for Find. */
export function isFind(event: Keys): boolean {
  return isShortcut(event, 'Mod F')
}

/** Whether the event is exactly this shortcut: `Mod F`, `Mod Shift S`. */
export function isShortcut(event: Keys, shortcut: string): boolean {
  const parts = shortcut.split(' ')
  const [mod, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey]
  return (
    mod === parts.includes('Mod') &&
    event.shiftKey === parts.includes('Shift') &&
    !other &&
    !event.altKey &&
    event.key.toUpperCase() === parts.at(-1)?.toUpperCase()
  )
}

/** Whether the event types a visible character. Option types on a Mac; Windows reports AltGr as Ctrl and Alt. */
export function isTyping({ key, ctrlKey, metaKey, altKey }: Keys): boolean {
  const types = !metaKey && (isMac ? !ctrlKey : ctrlKey === altKey)
  return types && [...key].length === 1 && key !== ' '
}

/**
 * Whether a part inside has already acted on the key. A disabled button that keeps the focus prevents every key
 * without a use for it, so shortcuts and Escape still count there.
 */
export function isTaken(event: Keys & Pick<Event, 'defaultPrevented' | 'target'>): boolean {
  if (!event.defaultPrevented) return false
  const { target } = event
  const isDisabled = target instanceof HTMLElement && target.getAttribute('aria-disabled') === 'true'
  return !isDisabled || !(event.ctrlKey || event.metaKey || event.key === 'Escape')
}

/** Whether the target takes text input. */
export function isEditable(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}
