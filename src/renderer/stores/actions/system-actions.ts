/** Actions of the operating system; a failure is shown as a notice. */
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { showFailure } from '../notice-store.ts'

/** Shows a file or folder in the system's file manager. */
export function revealPath(path: string): Promise<void> {
  return withNotice(command('system.reveal', { path }))
}

export function openTerminal(folder: string): Promise<void> {
  return withNotice(command('system.openTerminal', { folder }))
}

/** Opens a file of a folder in the user's editor. */
export function openFile(folder: string, path: string): Promise<void> {
  return withNotice(command('system.openFile', { folder, path, line: null }))
}

/** Opens an https or mailto link in the user's browser, after the program's own question. */
export function openLink(url: string): Promise<void> {
  return withNotice(command('system.openLink', { url }))
}

async function withNotice(asked: Promise<Answer<void>>): Promise<void> {
  const answer = await asked
  if (!answer.ok) showFailure(answer.failure)
}
