/** A file in a bare Electron window without a network, which says what it asks for. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ElectronApplication, _electron as electron, type Page } from '@playwright/test'

export interface BarePage {
  readonly app: ElectronApplication
  readonly page: Page
  /** Errors and warnings of the page, among them what its rules blocked. */
  readonly problems: string[]
  /** The addresses that the window asked for, its own file among them. */
  requests(): Promise<readonly string[]>
}

/** Opens the file. @param folder for the program and its data */
export async function openBarePage(file: string, folder: string): Promise<BarePage> {
  const program = join(folder, 'bare-app')
  await mkdir(program, { recursive: true })
  await writeFile(join(program, 'package.json'), '{"name":"bare","version":"1.0.0","main":"main.cjs"}')
  await writeFile(
    join(program, 'main.cjs'),
    `const { app, BrowserWindow, session } = require('electron')
globalThis.requests = []
app.whenReady().then(() => {
  session.defaultSession.enableNetworkEmulation({ offline: true })
  session.defaultSession.webRequest.onBeforeRequest((details, answer) => {
    globalThis.requests.push(details.url)
    answer({})
  })
  new BrowserWindow({ width: 1440, height: 900 }).loadURL('about:blank')
})
app.on('window-all-closed', () => app.quit())
`,
  )
  const app = await electron.launch({
    args: ['.', `--user-data-dir=${join(folder, 'bare-data')}`, '--disable-gpu'],
    cwd: program,
    chromiumSandbox: process.getuid?.() !== 0,
    // About the blank page before the file.
    env: { ...(process.env as Record<string, string>), ELECTRON_DISABLE_SECURITY_WARNINGS: '1' },
  })
  const page = await app.firstWindow()
  const problems: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  await app.evaluate(({ BrowserWindow }, path) => BrowserWindow.getAllWindows()[0]?.loadFile(path), file)
  return {
    ...{ app, page, problems },
    requests: () => app.evaluate(() => (globalThis as unknown as { requests: string[] }).requests),
  }
}
