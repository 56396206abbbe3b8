/** The questions the program itself asks, in the system's own dialogs, which no page can imitate or answer. */
import { type BrowserWindow, dialog } from 'electron'

/** Characters of an address that are shown. */
const LINK_SHOWN = 600

export function askToClose(window: BrowserWindow, agents: number): Promise<boolean> {
  return ask(window, {
    message: agents === 1 ? 'One agent is still working.' : `${agents} agents are still working.`,
    detail:
      'Closing Troupe stops them. What they have done is kept, and their conversations can go on later.',
    yes: 'Stop them and close',
    no: 'Cancel',
    isUsual: false,
  })
}

export function askToOpenLink(window: BrowserWindow, url: string): Promise<boolean> {
  const shown = url.length > LINK_SHOWN ? `${url.slice(0, LINK_SHOWN)} … (${url.length} characters)` : url
  return ask(window, { message: 'Open this link?', detail: shown, yes: 'Open', no: 'Cancel', isUsual: true })
}

export function askToRetry(window: BrowserWindow, message: string): Promise<boolean> {
  return ask(window, {
    message: 'What the agents do can’t be saved, so they are paused.',
    detail: message,
    yes: 'Try again',
    no: 'Leave them paused',
    isUsual: true,
  })
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
