/** What the system does for the person: a failure is told in words. */
import type { Answer } from '../../shared/ipc-contract.ts'
import { command } from '../bridge.ts'
import { showFailure } from './notice-store.ts'

/** Shows a file or folder in the system's file manager. */
export function revealPath(path: string): Promise<void> {
  return told(command('system.reveal', { path }))
}

export function openTerminal(folder: string): Promise<void> {
  return told(command('system.openTerminal', { folder }))
}

/** Opens a file of a folder in the person's editor. */
export function openFile(folder: string, path: string): Promise<void> {
  return told(command('system.openFile', { folder, path, line: null }))
}

async function told(asked: Promise<Answer<void>>): Promise<void> {
  const answer = await asked
  if (!answer.ok) showFailure(answer.failure)
}
