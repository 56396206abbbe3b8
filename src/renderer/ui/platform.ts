/** Whether keys are written and bound the way a Mac does. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Whether the keys mean "find in it". */
export function isFind(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
): boolean {
  const mod = isMac ? event.metaKey : event.ctrlKey
  return mod && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'f'
}
