/** The questions the program itself asks, in the system's own dialogs, which no page can imitate or answer. */
import { type BrowserWindow, dialog, type MessageBoxOptions } from 'electron'

/** Characters of an address that are shown. */
const LINK_SHOWN = 600

export interface ClosingAnswer {
  readonly wish: 'stop' | 'keep-running' | 'cancel'
  /** Whether closing shall mean the same from now on. */
  readonly always: boolean
}

/** What becomes of the agents that work. The window is null where it is hidden. */
export async function askToClose(window: BrowserWindow | null, agents: number): Promise<ClosingAnswer> {
  const wishes = ['stop', 'keep-running', 'cancel'] as const
  const { response, checkboxChecked } = await show(window, {
    type: 'question',
    message: agents === 1 ? 'One agent is still working.' : `${agents} agents are still working.`,
    detail:
      'Stopped, they keep what they have done, and their conversations can go on later. Kept running, they go on without a window: the tray leads back to it, and so does starting Troupe again.',
    buttons: ['Stop them and close', 'Keep them running', 'Cancel'],
    defaultId: 2,
    cancelId: 2,
    checkboxLabel: 'Do the same from now on (Settings can change it)',
    noLink: true,
  })
  const wish = wishes[response] ?? 'cancel'
  return { wish, always: checkboxChecked && wish !== 'cancel' }
}

/** What becomes of work that can't be saved. */
export async function askAboutUnsaved(
  window: BrowserWindow | null,
  why: string,
): Promise<'retry' | 'lose' | 'cancel'> {
  const { response } = await show(window, {
    type: 'warning',
    message: 'What agents did last can’t be saved. If Troupe closes now, it is lost.',
    detail: why,
    buttons: ['Try again', 'Close and lose it', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  })
  return (['retry', 'lose', 'cancel'] as const)[response] ?? 'cancel'
}

/** Whether a page that keeps crashing shall be loaded once more; else the program ends. */
export async function askToLoadAgain(window: BrowserWindow | null): Promise<boolean> {
  const { response } = await show(window, {
    type: 'error',
    message: 'The window keeps crashing.',
    detail:
      'Your agents are not touched by it: they go on, and what they do is saved. Help, Open log says more once the window is there again.',
    buttons: ['Load it again', 'Quit Troupe'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  })
  return response === 0
}

export function askToOpenLink(window: BrowserWindow, url: string): Promise<boolean> {
  const shown = url.length > LINK_SHOWN ? `${url.slice(0, LINK_SHOWN)} … (${url.length} characters)` : url
  return ask(window, { message: 'Open this link?', detail: shown, yes: 'Open', no: 'Cancel', isUsual: true })
}

/** The folder that was chosen, or null. */
export async function askForFolder(window: BrowserWindow, current: string | null): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    title: 'Open a folder',
    buttonLabel: 'Open',
    properties: ['openDirectory', 'createDirectory'],
    ...(current === null ? {} : { defaultPath: current }),
  })
  return canceled ? null : (filePaths[0] ?? null)
}

/** A dialog cannot hang on a window that nobody sees. */
function show(window: BrowserWindow | null, options: MessageBoxOptions) {
  return window === null ? dialog.showMessageBox(options) : dialog.showMessageBox(window, options)
}

interface Question {
  readonly message: string
  readonly detail: string
  readonly yes: string
  readonly no: string
  /** Whether Enter says yes. Escape always says no. */
  readonly isUsual: boolean
}

async function ask(window: BrowserWindow, { message, detail, yes, no, isUsual }: Question): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message,
    detail,
    buttons: [yes, no],
    defaultId: isUsual ? 0 : 1,
    cancelId: 1,
    noLink: true,
  })
  return response === 0
}
