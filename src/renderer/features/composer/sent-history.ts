/** The messages sent in a folder, the newest last. The Up key brings them back. */

const KEPT = 50

const storageKey = (folder: string) => `sent:${folder}`

export function sentBefore(folder: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(folder)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((text): text is string => typeof text === 'string') : []
  } catch {
    return []
  }
}

export function rememberSent(folder: string, text: string): void {
  if (text.trim() === '' || text.length > 20_000) return
  const kept = [...sentBefore(folder).filter((other) => other !== text), text].slice(-KEPT)
  localStorage.setItem(storageKey(folder), JSON.stringify(kept))
}
