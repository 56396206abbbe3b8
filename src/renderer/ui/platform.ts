/** Whether shortcuts use the keys of a Mac. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'> & {
  /** The place of the key on the keyboard. */
  readonly code?: string
}

/** Whether the keys are the shortcut for Find. */
export function isFind(event: Keys): boolean {
  return isShortcut(event, 'Mod F')
}

const PLUS = '+'

/** Whether the event is exactly this shortcut: `Mod F`, `Mod Shift S`. Empty: none. */
export function isShortcut(event: Keys, shortcut: string): boolean {
  const parts = shortcut.split(' ')
  const last = parts.at(-1) ?? ''
  const [mod, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey]
  const isPlus = last === PLUS && /^[+=]$/.test(event.key)
  return (
    mod === parts.includes('Mod') &&
    // Most keyboards have the plus sign above the equals sign.
    (isPlus || event.shiftKey === parts.includes('Shift')) &&
    event.altKey === parts.includes('Alt') &&
    !other &&
    (isPlus || keySign(event) === last.toUpperCase() || event.key.toUpperCase() === last.toUpperCase())
  )
}

/** The pressed keys as `Mod Shift S`; null while only modifiers are down. */
export function pressedKeys(event: Keys): string | null {
  if (/^(?:Control|Meta|Shift|Alt|AltGraph|CapsLock|Dead|Unidentified|Process)$/.test(event.key)) return null
  const isMod = isMac ? event.metaKey : event.ctrlKey
  const sign = keySign(event)
  const isPlus = sign === PLUS
  return [
    isMod && 'Mod',
    event.altKey && 'Alt',
    event.shiftKey && !isPlus && 'Shift',
    NAMES[event.key] ?? (sign.length > 1 ? event.key : sign),
  ]
    .filter(Boolean)
    .join(' ')
}

/** The sign of the key itself: Shift and Option change the character, but not the place. In capitals. */
function keySign({ key, code = '', shiftKey, altKey }: Keys): string {
  if (key === PLUS) return PLUS
  if ((!shiftKey && !altKey) || /^[a-z]$/i.test(key)) return (NAMES[key] ?? key).toUpperCase()
  const found = /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1]
  return found ?? SIGNS_OF_CODES[code] ?? (NAMES[key] ?? key).toUpperCase()
}

const NAMES: Readonly<Record<string, string>> = {
  ...{ ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc', ' ': 'Space' },
}

const SIGNS_OF_CODES: Readonly<Record<string, string>> = {
  ...{ Period: '.', Comma: ',', Slash: '/', Semicolon: ';', Quote: "'", Backquote: '`', Minus: '-' },
  ...{ Equal: '=', BracketLeft: '[', BracketRight: ']', Backslash: '\\' },
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
