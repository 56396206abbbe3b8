/** What agents do in each folder, for the folder menu and its button. */
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'

export interface FolderWork {
  readonly working: number
  /** The number of pending permission requests. */
  readonly needsYou: number
}

/** The folders in which agents work or wait for the user, by path. */
export function workByFolder(conversations: readonly ConversationSummary[]): ReadonlyMap<string, FolderWork> {
  const byFolder = new Map<string, FolderWork>()
  for (const { folder, running, requests } of conversations) {
    if (running + requests === 0) continue
    const before = byFolder.get(folder) ?? { working: 0, needsYou: 0 }
    byFolder.set(folder, {
      // An agent that asks runs, too, and a request is mostly the only one of its agent.
      working: before.working + Math.max(0, running - requests),
      needsYou: before.needsYou + requests,
    })
  }
  return byFolder
}

/** "3 working · 1 needs you". */
export function workText({ working, needsYou }: FolderWork): string {
  const parts = [
    working > 0 && `${working} working`,
    needsYou > 0 && (needsYou === 1 ? '1 needs you' : `${needsYou} need you`),
  ]
  return parts.filter(Boolean).join(' · ')
}

/** Other folders that the menu lists beside those with agents. */
const MOST_RECENT = 8

/** The folders where agents need the user, then those where agents work, then the recent ones. */
export function foldersByNeed(
  recent: readonly string[],
  work: ReadonlyMap<string, FolderWork>,
): readonly string[] {
  const rank = (path: string): number => {
    const here = work.get(path)
    return here === undefined ? 2 : here.needsYou > 0 ? 0 : 1
  }
  return [...new Set([...work.keys(), ...recent.slice(0, MOST_RECENT)])].sort((a, b) => rank(a) - rank(b))
}
