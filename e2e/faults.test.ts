/** Faults in the real window: the API, the disk, the page, a closed window. */
import { execFileSync } from 'node:child_process'
import { mkdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ElectronApplication, expect, test } from '@playwright/test'
import { inMain } from './testing/in-main.ts'
import {
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  send,
  type TroupeWindow,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()
let folder: string
test.beforeEach(async () => {
  folder = await machine.repository('shop', { 'README.md': '# Shop\n' })
})

const trusted = (more: object = {}) => ({ trustedFolders: [folder], ...more })

/** Answers system dialogs and records their messages. */
const answering = (app: ElectronApplication, responses: readonly number[]) =>
  inMain(
    app,
    ({ dialog }, answers) => {
      const asked: string[] = []
      Object.assign(globalThis, { asked })
      dialog.showMessageBox = (async (...args: unknown[]) => {
        asked.push((args.at(-1) as { message: string }).message)
        return { response: answers[asked.length - 1] ?? answers.at(-1), checkboxChecked: false }
      }) as never
    },
    responses,
  )
const asked = (app: ElectronApplication) =>
  inMain(app, () => Reflect.get(globalThis, 'asked') as readonly string[])

const closeWindow = (app: ElectronApplication) =>
  inMain(app, ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
const isVisible = (app: ElectronApplication) =>
  inMain(app, ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() ?? null)

test('429: the panel counts down, and the answer comes when the time is over', async () => {
  const { page } = await machine.open({
    folder,
    settings: trusted(),
    scenario: `
steps:
  - fault: { status: 429, type: rate_limit_error, message: Too many requests., retryAfter: 4, times: 1 }
    reply: All is well.
`,
  })
  await send(page, 'Hello')
  await expect(page.getByText(/Retrying in [1-4] s\./)).toBeVisible()
  await expect(page.getByText('Rate limited: Too many requests.').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'retrying', exact: true })).toBeVisible()
  await expect(page.getByText('All is well.')).toBeVisible()
  await expect(page.getByText('Retried (2).')).toBeVisible()
})

test('a lost connection: the streamed text is marked as discarded and missing from the transcript', async () => {
  const { page } = await machine.open({
    folder,
    settings: trusted(),
    scenario: `
steps:
  - fault: { cutAfter: 20, times: 1 }
    reply: Twenty letters and a few more of them.
  - reply: All is well.
`,
  })
  await send(page, 'Hello')
  await expect(page.getByText('Lost connection to the API').first()).toBeVisible()
  await expect(page.getByText('Twenty letters and a few more of them.')).toBeVisible()
  expect((await machine.events()).filter(({ type }) => type === 'assistant-message')).toHaveLength(1)
})

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

test('a full disk: the agent pauses, the window shows the reason until it is resolved, and nothing is lost', async () => {
  // biome-ignore lint/suspicious/noSkippedTests: it needs root, and says so
  test.skip(!isRoot, 'only root can mount a disk')
  const disk = join(machine.home, 'tasks')
  await mkdir(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'troupe-test', disk])
  try {
    const window = await machine.open({
      folder,
      settings: trusted(),
      scenario: 'steps:\n  - { turn: 1, reply: First. }\n  - { turn: 2, reply: Second. }\n',
    })
    const { page } = window
    await send(page, 'One')
    await expect(page.getByText('First.')).toBeVisible()
    const ballast = join(disk, 'ballast')
    await writeFile(ballast, Buffer.alloc(4 * 1024 * 1024)).catch(() => {})
    await send(page, `Two ${'and more '.repeat(1000)}`)
    const notice = page.getByRole('alert').filter({ hasText: '1 agent is paused' })
    await expect(notice).toContainText('the disk is full')
    await expect(page.getByText('Paused: its log can’t be written.')).toBeVisible()
    await picture(window, '20-disk-full')
    await expectAccessible(page)

    // Retries fail; closing the window now warns about the loss.
    for (let time = 0; time < 2; time++) await notice.getByRole('button', { name: 'Retry' }).click()
    await expect(notice).toContainText('the disk is full')
    await answering(window.app, [0, 2])
    await closeWindow(window.app)
    await eventually(() => asked(window.app)).toHaveLength(2)
    expect(await asked(window.app)).toEqual([
      '1 agent is still running.',
      'The agents’ latest work can’t be saved. If Troupe closes now, that work is lost.',
    ])

    await unlink(ballast)
    await notice.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByText('Second.')).toBeVisible()
    await expect(notice).toHaveCount(0)
    const events = await machine.events()
    expect(events.map(({ seq }) => seq)).toEqual([...events.keys()])
    await machine.close()
  } finally {
    await machine.close()
    execFileSync('umount', ['-l', disk])
  }
})

/** Makes a permission request after a delay in which the window is closed. */
const ASKS_LATER = `
steps:
  - turn: 1
    delay: 2000
    reply:
      - text: I need a file.
      - tool: Bash
        input: { command: touch made.txt, description: Make a file }
  - reply: "Made: {{results}}"
`

test('closed and kept running: agents continue, a permission request notifies the user, a second start shows everything', async () => {
  const { app, page } = await machine.open({ folder, settings: trusted(), scenario: ASKS_LATER })
  // Playwright reports focus to every page.
  await page.evaluate(() => {
    document.hasFocus = () => false
  })
  await inMain(app, ({ Notification }) => {
    const shown: string[] = []
    Object.assign(globalThis, { shown })
    Object.assign(Notification, { isSupported: () => true })
    Notification.prototype.show = function show() {
      shown.push(this.title)
    }
  })
  await answering(app, [1])
  await send(page, 'Make a file')
  await expect(page.getByText(/thinking|starting/).first()).toBeVisible()
  await closeWindow(app)
  await eventually(() => isVisible(app)).toBe(false)
  expect(await asked(app)).toEqual(['1 agent is still running.'])

  await eventually(async () => (await machine.events()).some(({ type }) => type === 'permission-asked')).toBe(
    true,
  )
  await eventually(() => inMain(app, () => Reflect.get(globalThis, 'shown') as readonly string[])).toEqual([
    'Main agent needs your permission',
  ])

  await machine.startAgain(app)
  await eventually(() => isVisible(app)).toBe(true)
  await expect(page.getByText('touch made.txt').first()).toBeVisible()
  await page.getByRole('button', { name: /^Allow once/ }).click()
  await expect(page.getByText(/^Made:/).first()).toBeVisible()
})

test('a setting decides what closing the window does', async () => {
  const scenario = 'steps:\n  - { delay: 60000, reply: Late. }\n'
  const { app, page } = await machine.open({ folder, settings: trusted(), scenario })
  await answering(app, [0])
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: /^Close with running agents/ }).click()
  await page.getByRole('menuitemradio', { name: /Stop agents/ }).click()
  await page.getByRole('button', { name: 'Stage' }).click()
  await send(page, 'Hello')
  await eventually(async () => (await machine.events()).some(({ type }) => type === 'request-started')).toBe(
    true,
  )
  const ended = app.waitForEvent('close')
  await closeWindow(app).catch(() => {})
  await ended
  expect((await machine.events()).at(-1)).toMatchObject({ type: 'agent-ended', status: 'stopped' })
})

const crash = (app: ElectronApplication) =>
  inMain(app, ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer())
/** The page's text. Playwright's page object ended with the first crash. */
const args = ({ app }: TroupeWindow) =>
  inMain(app, async ({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    if (!contents || contents.isCrashed() || contents.isLoading()) return ''
    // A page that is crashing never answers.
    const none = new Promise<string>((resolve) => setTimeout(() => resolve(''), 1000))
    return Promise.race([contents.executeJavaScript('document.body.innerText') as Promise<string>, none])
  }).catch(() => '')

test('the page crashes: agents continue, the page reloads with everything, and repeated crashes ask the user', async () => {
  const window = await machine.open({ folder, settings: trusted(), scenario: ASKS_LATER })
  const { app, page } = window
  await answering(app, [0])
  await send(page, 'Make a file')
  await eventually(async () => (await machine.events()).some(({ type }) => type === 'request-started')).toBe(
    true,
  )
  for (let time = 1; time <= 3; time++) {
    await crash(app)
    await eventually(() => args(window)).toContain('Make a file')
    expect(await asked(app)).toEqual([])
  }
  // The agent continued, and its permission request is visible.
  await eventually(() => args(window)).toContain('touch made.txt')
  await crash(app)
  await eventually(() => asked(app)).toEqual(['The window keeps crashing.'])
  await eventually(() => args(window)).toContain('touch made.txt')
  const events = await machine.events()
  expect(events.map(({ seq }) => seq)).toEqual([...events.keys()])
  expect(events.filter(({ type }) => type === 'agent-ended')).toEqual([])
})
