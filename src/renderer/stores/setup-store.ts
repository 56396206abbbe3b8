/** What was found of the user's setup, for Settings › Your setup. */
import { create } from 'zustand'
import type { Answer } from '../../shared/ipc-contract.ts'
import type { SetupReport } from '../../shared/setup.ts'
import { command } from '../bridge.ts'
import { useSession } from './session-store.ts'

interface SetupStore {
  /** Null until the first answer. */
  readonly report: SetupReport | null
  readonly isScanning: boolean
  readonly problem: string | null
}

export const useSetup = create<SetupStore>()(() => ({ report: null, isScanning: false, problem: null }))

const { setState: set } = useSetup

/** Looks at the files again. */
export async function scanSetup(): Promise<void> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return set({ report: null })
  set({ isScanning: true, problem: null })
  take(folder, await command('setup.report', { folder }))
}

/** Adds the servers of another program's list. */
export async function importServers(file: string): Promise<void> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return
  set({ isScanning: true, problem: null })
  take(folder, await command('setup.import', { folder, file }))
}

/** An answer about a folder that is no longer open is dropped. */
function take(folder: string, answer: Answer<SetupReport>): void {
  const isOpen = useSession.getState().folder?.path === folder
  set({
    isScanning: false,
    ...(isOpen && (answer.ok ? { report: answer.value ?? null } : { problem: answer.failure.message })),
  })
}
