/** The commands run last from the palette, the newest first. */

const KEY = 'palette.recent'
const KEPT = 12

export function recentCommands(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter((id): id is string => typeof id === 'string') : []
  } catch {
    return []
  }
}

export function rememberCommand(id: string): void {
  const kept = [id, ...recentCommands().filter((other) => other !== id)].slice(0, KEPT)
  try {
    localStorage.setItem(KEY, JSON.stringify(kept))
  } catch {
    // Without storage the order lasts no longer than the list.
  }
}

/** The commands, those run last first; the others keep their order. */
export function byRecency<T extends { readonly id: string }>(commands: readonly T[]): readonly T[] {
  const recent = recentCommands()
  const rank = (id: string) => {
    const at = recent.indexOf(id)
    return at === -1 ? recent.length : at
  }
  return commands.toSorted((a, b) => rank(a.id) - rank(b.id))
}
