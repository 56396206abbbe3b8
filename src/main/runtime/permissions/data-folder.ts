/** Troupe's own data: settings, rules and transcripts. Agents never write there, regardless of modes and rules. */
import { pathBelow } from '../paths/paths.ts'
import type { LocatedPath } from './locate-path.ts'
import type { PermissionConcern } from './permission-concern.ts'

export const dataFolderDenied =
  "This is Troupe's own data (settings, rules, transcripts), which agents never change. " +
  'Report what the user should change there.'

/** Whether a file is in the data folder, outside the agent's own worktree and memory. */
export async function isTroupeData(question: PermissionConcern, { real }: LocatedPath): Promise<boolean> {
  const data = await realDataFolder(question)
  if (data === null || pathBelow(data, real) === null) return false
  const { worktree, writeFolders = [] } = question.agent
  const own = [...writeFolders]
  if (worktree) {
    const root = await question.realPath(worktree.root)
    if (root.ok) own.push(root.value)
  }
  return !own.some((folder) => pathBelow(folder, real) !== null)
}

/** Whether a folder contains the data folder. */
export async function holdsTroupeData(question: PermissionConcern, { real }: LocatedPath): Promise<boolean> {
  const data = await realDataFolder(question)
  return data !== null && pathBelow(real, data) !== null
}

async function realDataFolder({ dataFolder, realPath }: PermissionConcern): Promise<string | null> {
  if (dataFolder === null) return null
  const real = await realPath(dataFolder)
  return real.ok ? real.value : dataFolder
}
