/** The program's own questions, in system dialogs, which no page can imitate or answer. */
import { join } from 'node:path'
import { type BrowserWindow, dialog, type MessageBoxOptions } from 'electron'
import type { ClosingQuestion } from '../closing.ts'

/** Characters shown of a link. */
const LINK_SHOWN = 600

interface ClosingAnswer {
  readonly wish: 'stop' | 'keep-running' | 'cancel'
  /** Whether to save the choice. */
  readonly always: boolean
}

/** Asks what to do with the running agents. `folder`: the name of the closed window's folder. */
export async function askToClose(
  { window, agents, othersStay }: ClosingQuestion,
  folder: string,
): Promise<ClosingAnswer> {
  const wishes = ['stop', 'keep-running', 'cancel'] as const
  const running = agents === 1 ? '1 agent is still running' : `${agents} agents are still running`
  const comeBack = othersStay
    ? 'they continue without this window. To come back, use the folder menu of another window.'
    : 'they continue without a window. To come back, use the tray icon or start Troupe again.'
  const { response, checkboxChecked } = await show(window, {
    type: 'question',
    message: othersStay ? `${running} in ${folder}.` : `${running}.`,
    detail: `If you stop them, their work is saved and you can resume them later. If you keep them running, ${comeBack}`,
    buttons: ['Stop and close', 'Keep running', 'Cancel'],
    defaultId: 2,
    cancelId: 2,
    checkboxLabel: 'Do this from now on (you can change it in Settings)',
    noLink: true,
  })
  const wish = wishes[response] ?? 'cancel'
  return { wish, always: checkboxChecked && wish !== 'cancel' }
}

/** Asks what to do with unsaved work. */
export async function askAboutUnsaved(
  window: BrowserWindow | null,
  why: string,
): Promise<'retry' | 'lose' | 'cancel'> {
  const { response } = await show(window, {
    type: 'warning',
    message: 'The agents’ latest work can’t be saved. If Troupe closes now, that work is lost.',
    detail: why,
    buttons: ['Retry', 'Close anyway', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  })
  return (['retry', 'lose', 'cancel'] as const)[response] ?? 'cancel'
}

/** Asks whether to reload a page that keeps crashing. Otherwise the program quits. */
export async function askToReload(window: BrowserWindow | null): Promise<boolean> {
  const { response } = await show(window, {
    type: 'error',
    message: 'The window keeps crashing.',
    detail:
      'Your agents are not affected: they continue, and their work is saved. For details choose Help, Open log after the reload.',
    buttons: ['Reload', 'Quit Troupe'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  })
  return response === 0
}

export function askToOpenLink(window: BrowserWindow, url: string): Promise<boolean> {
  const shown = url.length > LINK_SHOWN ? `${url.slice(0, LINK_SHOWN)} … (${url.length} characters)` : url
  return ask(window, {
    message: 'Open this link?',
    detail: shown,
    yes: 'Open',
    no: 'Cancel',
    isDefault: true,
  })
}

/** Asks before the spans of a conversation leave this machine. */
export function askToSend(window: BrowserWindow, title: string, { href }: URL): Promise<boolean> {
  const message = `Send the spans of “${title.length > 80 ? `${title.slice(0, 79)}…` : title}”?`
  const detail = `To: ${href.slice(0, LINK_SHOWN)}\n\nThey have the tasks of agents and the titles of calls, such as commands and paths, and no outputs.`
  return ask(window, { message, detail, yes: 'Send', no: 'Cancel', isDefault: true })
}

/** Asks before a newer version takes the place of this one while agents work. */
export function askToUpdate(window: BrowserWindow, version: string, agents: number): Promise<boolean> {
  const working = agents === 1 ? '1 agent is working' : `${agents} agents are working`
  return ask(window, {
    message: `Install Troupe ${version} and restart? ${working}.`,
    detail: 'They are stopped. Their work is saved, and you can resume them after the restart.',
    yes: 'Install and restart',
    no: 'Cancel',
    isDefault: false,
  })
}

/** Asks before an address and a key decide what is installed. */
export function askAboutUpdates(window: BrowserWindow, url: string, key: string): Promise<boolean> {
  return ask(window, {
    message: 'Get updates of Troupe from this address?',
    detail: `Address: ${url}\nKey: ${key}\n\nWho has the private key to this one can give you a program that does whatever you can do. Check both with the maker of your packages.`,
    yes: 'Use this address',
    no: 'Cancel',
    isDefault: false,
  })
}

/** The chosen folder, or null. */
export async function askForFolder(window: BrowserWindow, current: string | null): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title: 'Open a folder',
    buttonLabel: 'Open',
    properties: ['openDirectory', 'createDirectory'],
    ...(current === null ? {} : { defaultPath: current }),
  })
  return canceled ? null : (filePaths[0] ?? null)
}

/** The file of a conversation to import, or null. */
export async function askForImport(window: BrowserWindow, folder: string | null): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title: 'Import a conversation',
    buttonLabel: 'Import',
    properties: ['openFile'],
    filters: [
      { name: 'Exported conversations', extensions: ['jsonl'] },
      { name: 'All files', extensions: ['*'] },
    ],
    ...(folder === null ? {} : { defaultPath: folder }),
  })
  return canceled ? null : (filePaths[0] ?? null)
}

/** Asks where to save a file. @param name of the file, below the folder @returns its absolute path; null: canceled */
export async function askForFile(
  window: BrowserWindow,
  name: string,
  folder: string | null,
): Promise<string | null> {
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    title: 'Export',
    buttonLabel: 'Export',
    defaultPath: folder === null ? name : join(folder, name),
  })
  return canceled || filePath === '' ? null : filePath
}

/** A dialog cannot belong to a hidden window. */
function show(window: BrowserWindow | null, options: MessageBoxOptions) {
  return window === null ? dialog.showMessageBox(options) : dialog.showMessageBox(window, options)
}

interface Question {
  readonly message: string
  readonly detail: string
  readonly yes: string
  readonly no: string
  /** Whether Enter means yes. Escape always means no. */
  readonly isDefault: boolean
}

async function ask(
  window: BrowserWindow,
  { message, detail, yes, no, isDefault }: Question,
): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message,
    detail,
    buttons: [yes, no],
    defaultId: isDefault ? 0 : 1,
    cancelId: 1,
    noLink: true,
  })
  return response === 0
}
