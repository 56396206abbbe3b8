/** The messages sent in a folder, the newest last. The Up key brings them back. */

const KEPT = 50
/** Characters of all stored messages of a folder: the local storage is small. Longer ones last as long as the window. */
const STORED = 400_000

const known = new Map<string, readonly string[]>()
const storageKey = (folder: string) => `sent:${folder}`

export function sentBefore(folder: string): readonly string[] {
  const sent = known.get(folder) ?? stored(folder)
  known.set(folder, sent)
  return sent
}

export function rememberSent(folder: string, text: string): void {
  if (text.trim() === '') return
  const sent = [...sentBefore(folder).filter((other) => other !== text), text].slice(-KEPT)
  known.set(folder, sent)
  try {
    localStorage.setItem(storageKey(folder), JSON.stringify(withinLimit(sent)))
  } catch {
    // A full storage keeps the older messages.
  }
}

/** Forgets what is not stored, as a restart does. For tests. */
export function forgetSent(): void {
  known.clear()
}

/** The newest messages that fit. */
function withinLimit(sent: readonly string[]): readonly string[] {
  let left = STORED
  return sent
    .toReversed()
    .filter((text) => {
      if (text.length > left) return false
      left -= text.length
      return true
    })
    .toReversed()
}

function stored(folder: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(folder)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((text): text is string => typeof text === 'string') : []
  } catch {
    return []
  }
}
