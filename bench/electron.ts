/** The measured windows: Troupe's, and a bare one. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ElectronApplication, _electron as electron, type Page } from 'playwright'
import { processesBelow, proportionalSize } from './process-facts.ts'
import { root } from './troupe.ts'

export interface Opened {
  readonly app: ElectronApplication
  readonly page: Page
  /** Time from the start of the process to the awaited element, ms. */
  readonly took: number
}

/** Opens Troupe on a folder and waits until its composer accepts text. */
export function openTroupe(
  { folder, home }: { folder: string; home: string },
  environment: Readonly<Record<string, string>> = {},
): Promise<Opened> {
  return open(['.', folder], root, 'textarea[aria-label="Message"]:enabled', {
    TROUPE_HOME: home,
    TROUPE_REHEARSAL_PACE: '0',
    ...environment,
  })
}

/** A window with one text field and nothing else. */
export async function openBare(folder: string): Promise<Opened> {
  const app = join(folder, 'bare-app')
  await mkdir(app, { recursive: true })
  await writeFile(join(app, 'package.json'), '{"name":"bare","version":"1.0.0","main":"main.cjs"}')
  await writeFile(join(app, 'index.html'), '<!doctype html><title>Bare</title><textarea></textarea>')
  await writeFile(
    join(app, 'main.cjs'),
    `const { app, BrowserWindow } = require('electron')
app.whenReady().then(() => new BrowserWindow({ width: 1440, height: 900 }).loadFile(__dirname + '/index.html'))
app.on('window-all-closed', () => app.quit())
`,
  )
  return open(['.', `--user-data-dir=${join(folder, 'bare-data')}`], app, 'textarea', {})
}

async function open(
  words: readonly string[],
  cwd: string,
  ready: string,
  environment: Readonly<Record<string, string>>,
): Promise<Opened> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ANTHROPIC|TROUPE)_/.test(name))
  const begun = performance.now()
  const app = await electron.launch({
    args: [...words, '--disable-gpu'],
    cwd,
    chromiumSandbox: process.getuid?.() !== 0,
    env: { ...(Object.fromEntries(inherited) as Record<string, string>), ...environment },
  })
  const page = await app.firstWindow()
  await page.locator(ready).waitFor()
  return { app, page, took: performance.now() - begun }
}

/** Proportional set size of a process tree, MB. */
export async function memoryOf(app: ElectronApplication): Promise<number> {
  const main = app.process().pid ?? -1
  const sizes = await Promise.all([main, ...(await processesBelow(main))].map(proportionalSize))
  return sizes.reduce((sum, size) => sum + size, 0)
}
