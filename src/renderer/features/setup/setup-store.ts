/** What was found of the user's setup, for Settings › Your setup. */
import { create } from 'zustand'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import type { SetupImport, SetupReport } from '../../../shared/setup/setup.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'

interface SetupStore {
  /** Null until the first answer. */
  readonly report: SetupReport | null
  readonly isScanning: boolean
  readonly problem: string | null
  /** What an import would write, while the user looks at it. `file`: null: of all files. */
  readonly preview: { readonly file: string | null; readonly content: SetupImport } | null
}

export const useSetup = create<SetupStore>()(() => ({
  ...{ report: null, isScanning: false, problem: null, preview: null },
}))

const { setState: set } = useSetup

/** Looks at the files again. */
export async function scanSetup(): Promise<void> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return set({ report: null })
  set({ isScanning: true, problem: null })
  take(folder, await command('setup.report', { folder }))
}

/** Shows what an import of one file would write, or of all (null). A failure is the page's problem. */
export async function previewImport(file: string | null): Promise<void> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return
  set({ isScanning: true, problem: null })
  const answer = await command('setup.preview', { folder, file })
  const isOpen = useSession.getState().folder?.path === folder
  set({
    isScanning: false,
    ...(isOpen && answer.ok && answer.value !== undefined && { preview: { file, content: answer.value } }),
    ...(isOpen && !answer.ok && { problem: answer.failure.message }),
  })
}

/** Writes what is shown, and nothing else. */
export async function importShown(): Promise<void> {
  const { preview } = useSetup.getState()
  const folder = useSession.getState().folder?.path
  if (folder === undefined || preview === null) return
  const { file, content } = preview
  set({ isScanning: true, problem: null, preview: null })
  take(folder, await command('setup.import', { folder, file, digest: content.digest }))
}

export function closeImport(): void {
  set({ preview: null })
}

/** Takes back what was imported from a file. */
export async function undoImport(file: string): Promise<void> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return
  set({ isScanning: true, problem: null })
  take(folder, await command('setup.undoImport', { folder, file }))
}

/** Opens a file of the setup in the user's editor, or shows its folder. */
export async function openSetupFile(path: string): Promise<void> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return
  const answer = await command('system.openSetup', { folder, path })
  if (!answer.ok) set({ problem: answer.failure.message })
}

/** An answer about a folder that is no longer open is dropped. */
function take(folder: string, answer: Answer<SetupReport>): void {
  const isOpen = useSession.getState().folder?.path === folder
  set({
    isScanning: false,
    ...(isOpen && (answer.ok ? { report: answer.value ?? null } : { problem: answer.failure.message })),
  })
}
