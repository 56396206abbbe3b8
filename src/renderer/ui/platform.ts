/** Whether shortcuts use the keys of a Mac. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Whether the keys are the shortcut for Find. */
export function isFind(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
): boolean {
  const mod = isMac ? event.metaKey : event.ctrlKey
  return mod && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'f'
}
