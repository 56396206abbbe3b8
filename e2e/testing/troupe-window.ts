/** The real window with its own data folder, and helpers for tests. */

import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import AxeBuilder from '@axe-core/playwright'
import {
  type ElectronApplication,
  _electron as electron,
  expect,
  type Locator,
  type Page,
  type TestInfo,
  test,
} from '@playwright/test'
import type { AgentEvent } from '../../src/shared/events/agent-event.ts'
import { isOver, keepsUp, shareOf } from '../../src/shared/testing/time-left.ts'
import { inMain, withAnswer } from './in-main.ts'
import { type ScriptedApi, scriptedApi } from './scripted-api.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** The folder for a run's screenshots. */
const PICTURES = join(ROOT, 'test-results', 'pictures')

export interface Launch {
  /** The folder to open; null: none. */
  readonly folder?: string | null
  /** A YAML scenario instead of the survey. */
  readonly scenario?: string
  /** Tokens per second; 0: without delay. */
  readonly pace?: number
  readonly settings?: object
  /** Further environment variables: a key, another base URL. */
  readonly environment?: Readonly<Record<string, string>>
  /** Further arguments. */
  readonly args?: readonly string[]
}

export interface TroupeWindow {
  readonly app: ElectronApplication
  readonly page: Page
  readonly errors: string[]
}

/** Whether a test runs on a machine that may be too slow for all: Playwright takes the files in the order of their names. */
function hasTime({ file, line }: TestInfo): boolean {
  if (isOver()) return false
  const files = readdirSync(join(ROOT, 'e2e')).filter((name) => name.endsWith('.test.ts'))
  if (keepsUp(shareOf(basename(file), files.sort()))) return true
  const lines = readFileSync(file, 'utf8').split('\n')
  return line === lines.findIndex((text) => text.startsWith('test(')) + 1
}

/** One user's machine, a new one for each test of a file. */
export function machineOfEachTest(): Machine {
  const machine = new Machine()
  test.beforeEach(() => {
    const info = test.info()
    // A repeated test that is skipped would count as passed.
    // biome-ignore lint/suspicious/noSkippedTests: only where there is no time
    test.skip(info.retry === 0 && !hasTime(info), 'This machine is too slow for all tests.')
    return machine.begin()
  })
  test.afterEach(() => machine.dispose())
  return machine
}

/** A data folder that outlives its windows, and the API that a test scripts. */
export class Machine {
  /** The user's home folder. */
  base = ''
  /** The data folder. */
  home = ''
  private api: ScriptedApi | null = null
  private opened: TroupeWindow | null = null

  async begin(): Promise<void> {
    this.base = await mkdtemp(join(tmpdir(), 'troupe-e2e-'))
    this.home = join(this.base, 'data')
    await mkdir(this.home)
  }

  /** The API of each window that opens from now on answers as this YAML scenario says, until the test ends. */
  async scriptApi(scenario: string): Promise<void> {
    this.api = await scriptedApi(scenario)
  }

  /** The requests for messages that the scripted API received, oldest first. */
  asked(): ReturnType<ScriptedApi['asked']> {
    return this.api?.asked() ?? []
  }

  /** A git repository with these files, committed. */
  async repository(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const folder = join(this.base, name)
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(folder, path, '..'), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    this.commit(folder)
    return folder
  }

  /** Makes a folder a repository and commits all its files. */
  commit(folder: string): void {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
    git('init', '-q', '-b', 'main')
    git('config', 'user.name', 'Ada')
    git('config', 'user.email', 'ada@example.invalid')
    git('add', '-A')
    git('commit', '-q', '-m', 'Start')
  }

  async open({
    folder = null,
    scenario,
    pace = 0,
    settings,
    environment,
    args = [],
  }: Launch = {}): Promise<TroupeWindow> {
    await this.close()
    const settingsFile = join(this.home, 'settings.json')
    // Without the sandbox unless a test asks for it: what a command serves is then reachable from here.
    if (settings || !existsSync(settingsFile))
      await writeFile(
        settingsFile,
        JSON.stringify({ sandbox: { enabled: false }, ...this.api?.settings, ...settings }),
      )
    const extra: Record<string, string> = {
      TROUPE_HOME: this.home,
      TROUPE_REHEARSAL_PACE: String(pace),
      HOME: this.base,
      ...this.api?.environment,
      ...environment,
    }
    if (scenario !== undefined) {
      extra['TROUPE_SCENARIO'] = join(this.base, 'scenario.yaml')
      await writeFile(extra['TROUPE_SCENARIO'], scenario)
    }
    const inherited = Object.entries(process.env).filter(([name]) => !/^(ANTHROPIC|TROUPE)_/.test(name))
    const app = await electron.launch({
      args: ['.', '--disable-gpu', ...(folder === null ? [] : [folder]), ...args],
      cwd: ROOT,
      chromiumSandbox: process.getuid?.() !== 0,
      env: { ...(Object.fromEntries(inherited) as Record<string, string>), ...extra },
    })
    const page = await app.firstWindow()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.waitForLoadState()
    this.opened = { app, page, errors }
    return this.opened
  }

  /** Starts the program a second time beside the open one; resolves when the second process has ended. */
  async startAgain(app: ElectronApplication, ...args: readonly string[]): Promise<void> {
    const executable = await inMain(app, () => process.execPath)
    const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : []
    const environment = Object.entries(process.env).filter(([name]) => !/^(ANTHROPIC|TROUPE)_/.test(name))
    await promisify(execFile)(executable, ['.', ...flags, '--disable-gpu', ...args], {
      cwd: ROOT,
      env: { ...Object.fromEntries(environment), TROUPE_HOME: this.home },
    })
  }

  /** Ends the window as a user does; agents are stopped cleanly. */
  async close(): Promise<void> {
    const open = this.opened
    this.opened = null
    await open?.app.close()
  }

  /** Forgets a window whose process was killed. */
  forget(): void {
    this.opened = null
  }

  /** All events of all agents on disk, in conversation order. */
  async events(): Promise<readonly AgentEvent[]> {
    const tasks = join(this.home, 'tasks')
    const ids = await readdir(tasks).catch(() => [])
    const texts = await Promise.all(
      ids.map((id) => readFile(join(tasks, id, 'transcript.jsonl'), 'utf8').catch(() => '')),
    )
    return texts
      .flatMap((text) => text.split('\n').filter((line) => line.endsWith('}')))
      .map((line) => JSON.parse(line) as AgentEvent)
      .sort((a, b) => a.at - b.at || a.order - b.order)
  }

  async dispose(): Promise<void> {
    await this.close()
    await this.api?.close()
    this.api = null
    if (this.base !== '') await rm(this.base, { recursive: true, force: true, maxRetries: 5 })
    this.base = ''
  }
}

/** The maximum number of subagents that worked at the same time. */
export function mostAtOnce(events: readonly AgentEvent[]): number {
  const subagents = new Set(
    events.flatMap((event) =>
      event.type === 'agent-spawned' && event.parentId !== null ? [event.agentId] : [],
    ),
  )
  const working = new Set<string>()
  let most = 0
  for (const event of events) {
    if (!subagents.has(event.agentId)) continue
    if (event.type === 'status-changed' && event.status === 'running') working.add(event.agentId)
    else if (event.type === 'agent-ended') working.delete(event.agentId)
    most = Math.max(most, working.size)
  }
  return most
}

/** Polls every 100 ms at most, unlike `expect.poll`, which soon asks once a second only. */
export const eventually = <T>(
  actual: () => T | Promise<T>,
  { timeout }: { readonly timeout?: number } = {},
) => expect.poll(actual, { intervals: [50, 100], ...(timeout !== undefined && { timeout }) })

/** Goes back from the answer, which the window shows when all agents have ended, to their panels. */
export const showPanels = (page: Page) => page.getByRole('radio', { name: /^Panels/ }).click()

/** Allows a request from the keyboard. A press just after its buttons appeared or moved does nothing. */
export async function allowOnce(around: Page | Locator): Promise<void> {
  const button = around.getByRole('button', { name: /^Allow once/ })
  await button.waitFor()
  await expect(async () => {
    if ((await button.count()) > 0) await button.press('Enter', { timeout: 500 })
    await expect(button).toHaveCount(0, { timeout: 1000 })
  }).toPass()
}

export const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

export async function send(page: Page, args: string): Promise<void> {
  await composer(page).fill(args)
  await composer(page).press('Enter')
}

/** Resizes the window and waits until the page has the new size. */
export async function resize({ app, page }: TroupeWindow, width: number, height: number): Promise<void> {
  await withAnswer(async () => {
    const window = await app.browserWindow(page)
    await window.evaluate((browserWindow, size) => browserWindow.setContentSize(size.width, size.height), {
      width,
      height,
    })
  })
  await page.waitForFunction((wanted) => Math.abs(innerWidth - wanted) < 4, width)
}

/** With TROUPE_PICTURES=1, takes screenshots in both sizes and both themes, for review by people. */
export async function picture(window: TroupeWindow, name: string): Promise<void> {
  if (process.env['TROUPE_PICTURES'] !== '1') return
  await mkdir(PICTURES, { recursive: true })
  const before = await window.page.evaluate(
    () => document.documentElement.getAttribute('data-theme') ?? 'dark',
  )
  for (const [width, height] of [
    [1440, 900],
    [1100, 700],
  ] as const) {
    await resize(window, width, height)
    for (const theme of ['dark', 'light'] as const) {
      await window.page.evaluate(
        (wanted) => document.documentElement.setAttribute('data-theme', wanted),
        theme,
      )
      await window.page.screenshot({ path: join(PICTURES, `${name}-${width}x${height}-${theme}.png`) })
    }
  }
  await window.page.evaluate((theme) => document.documentElement.setAttribute('data-theme', theme), before)
  await resize(window, 1440, 900)
}

/** Expects no accessibility violation on the page, once it shows something. */
export async function expectAccessible(page: Page): Promise<void> {
  // By tag: an open menu hides the headings from roles.
  await page.locator('h1, h2, h3, [role="heading"]').first().waitFor({ state: 'attached' })
  // What fades in or out has a contrast that nobody reads: it is looked at as it rests.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
        .map(({ finished }) => finished),
    ),
  )
  // Electron has one page, so axe can't open another one.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  await page.emulateMedia({ reducedMotion: null })
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`),
  ).toEqual([])
}
