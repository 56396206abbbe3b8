/** Tells that the agents of a folder that the window leaves continue, and offers the way back. */
import { useEffect } from 'react'
import { openFolder } from '../stores/folder-actions.ts'
import { workByFolder, workText } from '../stores/folder-work.ts'
import { showNotice } from '../stores/notice-store.ts'
import { type SessionState, useSession } from '../stores/session-store.ts'

export function useLeftFolder(): void {
  useEffect(() => useSession.subscribe(watchFolder), [])
}

function watchFolder({ folder, conversations }: SessionState, { folder: left }: SessionState): void {
  if (left === null || folder === null || left.path === folder.path) return
  const work = workByFolder(conversations).get(left.path)
  if (work === undefined) return
  showNotice({
    level: 'info',
    text: `Agents in ${left.name} continue in the background (${workText(work)}). The folder menu shows them.`,
    action: { label: `Back to ${left.name}`, run: () => void openFolder(left.path) },
  })
}
