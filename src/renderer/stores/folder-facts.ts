/** Facts about the open folder: its trust, its branch, and the agents that can be started in it. */
import type { FolderInfo } from '../../shared/window/contract.ts'
import { command } from '../bridge.ts'
import { showFailure } from './notice-store.ts'
import { useSession } from './session-store.ts'

const { getState: get, setState: set } = useSession

export function takeFolder(folder: FolderInfo): void {
  if (get().folder?.path === folder.path) set({ folder })
}

/** Number of requests for definitions; only the latest answer counts. */
let lastRequest = 0

export async function loadDefinitions(path: string): Promise<void> {
  lastRequest += 1
  const request = lastRequest
  const answer = await command('folder.definitions', { path })
  if (request !== lastRequest || get().folder?.path !== path) return
  if (answer.ok) {
    const { definitions, problems, waitingTexts = 0 } = answer.value
    set({ definitions, definitionProblems: problems, waitingTexts })
  } else showFailure(answer.failure)
}
