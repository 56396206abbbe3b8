/** Several windows, each with a folder of its own. */
import { expect, test } from '@playwright/test'
import { inMain } from './testing/in-main.ts'
import {
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  resize,
  send,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - when: ask
    reply:
      - tool: Bash
        input: { command: touch made.txt, description: Make a file }
  - delay: 60000
    reply: Late.
`

test('a second folder has a window of its own: agents of the first are seen and found there, and closing names them', async () => {
  const shop = await machine.repository('shop', { 'README.md': '# Shop' })
  const api = await machine.repository('api', { 'README.md': '# API' })
  const first = await machine.open({
    folder: shop,
    scenario: SCENARIO,
    settings: { trustedFolders: [shop, api], access: { kind: 'rehearsal' } },
  })
  const { app, page } = first
  await send(page, 'ask me')
  await expect(page.getByText('touch made.txt').first()).toBeVisible()

  const opening = app.waitForEvent('window')
  await machine.startAgain(app, api)
  const second = await opening
  await expect(second.getByRole('button', { name: /^Folder api/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Folder shop/ })).toBeVisible()
  await machine.startAgain(app, api)
  expect(app.windows()).toHaveLength(2)
  await expectAccessible(second)

  await second.getByRole('button', { name: 'Folder api. In other folders: 1 needs you' }).click()
  await expect(second.getByRole('menuitem', { name: /^shop.*1 needs you/ })).toBeVisible()
  await picture({ app, page: second, errors: first.errors }, '24-folder-menu')
  await second.getByRole('menuitem', { name: /^shop/ }).click()
  expect(app.windows()).toHaveLength(2)
  await expect(second.getByRole('button', { name: /^Folder api/ })).toBeVisible()

  // The setting is to ask. The first window has an agent, the second has none.
  await inMain(app, ({ dialog }) => {
    dialog.showMessageBox = (async (...args: unknown[]) => {
      Object.assign(globalThis, { asked: (args.at(-1) as { message: string }).message })
      return { response: 1, checkboxChecked: false }
    }) as never
  })
  const closed = page.waitForEvent('close')
  const shown = await app.browserWindow(page)
  await shown.evaluate((window) => window.close()).catch(() => {})
  await closed
  expect(await inMain(app, () => Reflect.get(globalThis, 'asked') as string)).toBe(
    '1 agent is still running in shop.',
  )

  // The agent still asks; the folder menu of the other window leads back to it.
  await second.getByRole('button', { name: 'Folder api. In other folders: 1 needs you' }).click()
  await second.getByRole('menuitem', { name: /^shop.*1 needs you/ }).click()
  await second.getByRole('button', { name: /^Allow once/ }).click()
  await eventually(async () => (await machine.events()).some(({ type }) => type === 'tool-ended')).toBe(true)
})

const HELPED = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        input: { description: look at routes, subagent_type: general-purpose, prompt: Look at the routes. }
  - agent: /Look at the routes/
    turn: 1
    reply:
      - text: I make a file.
      - tool: Bash
        input: { command: touch made.txt, description: Make a file }
  - agent: /Look at the routes/
    turn: 2
    delay: 60000
    reply: Late.
  - reply: Done.
`

test('an agent in a window of its own is followed and answered there, and is on the stage again afterwards', async () => {
  const shop = await machine.repository('shop', { 'README.md': '# Shop' })
  const main = await machine.open({ folder: shop, scenario: HELPED, settings: { trustedFolders: [shop] } })
  const { app, page } = main
  await send(page, 'look')
  await expect(page.getByText('touch made.txt').first()).toBeVisible()
  const opening = app.waitForEvent('window')
  const panel = page.getByRole('article', { name: /look at routes/ })
  await panel.getByRole('heading').hover()
  await panel.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Open in own window' }).click()
  const own = await opening
  const ownWindow = { app, page: own, errors: main.errors }
  await expect(own.getByText('I make a file.')).toBeVisible()
  await expect(page.getByRole('article', { name: /in its own window/ })).toBeVisible()
  await picture(main, '25-moved-panel')
  await picture(ownWindow, '26-own-window')
  await expectAccessible(own)
  await expectAccessible(page)

  // Another conversation in the first window changes nothing in the agent's own.
  await page.keyboard.press('Control+n')
  await expect(page.getByRole('article', { name: /in its own window/ })).toHaveCount(0)
  await own.getByRole('button', { name: /^Allow once/ }).click()
  await eventually(async () => (await machine.events()).some(({ type }) => type === 'tool-ended')).toBe(true)

  await page.getByRole('listitem').getByRole('button', { name: /look/ }).first().click()
  const closed = own.waitForEvent('close')
  await page.getByRole('button', { name: 'Bring back' }).click()
  await closed
  await expect(page.getByText('I make a file.')).toBeVisible()
  expect((await machine.events()).some(({ type }) => type === 'agent-ended')).toBe(false)

  expect(main.errors).toEqual([])
})

test('a saved layout brings an agent into its own window again, after a restart too, and can be renamed and deleted', async () => {
  const shop = await machine.repository('shop', { 'README.md': '# Shop' })
  const first = await machine.open({ folder: shop, scenario: HELPED, settings: { trustedFolders: [shop] } })
  await send(first.page, 'look')
  await expect(first.page.getByText('touch made.txt').first()).toBeVisible()
  const opening = first.app.waitForEvent('window')
  const panel = first.page.getByRole('article', { name: /look at routes/ })
  await panel.getByRole('heading').click({ button: 'right' })
  await first.page.getByRole('menuitem', { name: 'Open in own window' }).click()
  const own = await opening
  await expect(own.getByText('I make a file.')).toBeVisible()
  await resize({ app: first.app, page: own, errors: first.errors }, 540, 620)
  await first.page.getByRole('radio', { name: 'Columns' }).click()
  await first.page.getByRole('button', { name: 'Saved layouts' }).click()
  await first.page.getByRole('menuitem', { name: 'Save layout…' }).click()
  await first.page.getByRole('textbox', { name: 'Name' }).fill('Two screens')
  await picture(first, '27-save-layout')
  await first.page.keyboard.press('Enter')
  await expect(first.page.getByText('Layout “Two screens” saved.')).toBeVisible()
  const closed = own.waitForEvent('close')
  await first.page.getByRole('button', { name: 'Bring back' }).click()
  await closed
  await first.page.getByRole('radio', { name: 'Grid' }).click()

  const { app, page } = await machine.open({ folder: shop, scenario: HELPED })
  await expect(page.getByRole('radio', { name: 'Grid' })).toBeChecked()
  const again = app.waitForEvent('window')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('two screens')
  await page.keyboard.press('Enter')
  const reopened = await again
  await expect(reopened.getByText('I make a file.')).toBeVisible()
  await eventually(() => reopened.evaluate(() => innerWidth)).toBe(540)
  await expect(page.getByRole('radio', { name: 'Columns' })).toBeChecked()
  await page.getByRole('button', { name: 'Saved layouts' }).click()
  await page.getByRole('menuitem', { name: 'Rename Two screens' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Wide')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Saved layouts' }).click()
  await page.getByRole('menuitem', { name: 'Delete Wide' }).click()
  await page.getByRole('button', { name: 'Saved layouts' }).click()
  await expect(page.getByRole('menuitem', { name: 'Wide', exact: true })).toHaveCount(0)
})

test('the zoom holds for all windows, is said, and is kept over a restart', async () => {
  const shop = await machine.repository('shop', { 'README.md': '# Shop' })
  const settings = { trustedFolders: [shop], access: { kind: 'rehearsal' } }
  const { page } = await machine.open({ folder: shop, settings })
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
  const width = () => page.evaluate(() => innerWidth)
  const before = await width()
  for (const size of [110, 125, 150]) {
    await page.keyboard.press('Control+=')
    await expect(page.getByText(`Zoom ${size}%`)).toBeVisible()
  }
  await eventually(width).toBe(Math.round(before / 1.5))
  const later = await machine.open({ folder: shop })
  await expect(later.page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
  await eventually(() => later.page.evaluate(() => innerWidth)).toBe(Math.round(before / 1.5))
  await later.page.keyboard.press('Control+0')
  await eventually(() => later.page.evaluate(() => innerWidth)).toBe(before)
})

test('rules of the command line hold in the window, and a second start with rules is refused', async () => {
  const shop = await machine.repository('shop', { 'README.md': '# Shop' })
  const { app, page } = await machine.open({
    folder: shop,
    scenario: SCENARIO,
    settings: { trustedFolders: [shop], access: { kind: 'rehearsal' } },
    args: ['--deny', 'Bash(touch:*)', '--allow=Bash(ls -l)'],
  })
  await send(page, 'ask me')
  await eventually(async () => JSON.stringify(await machine.events())).toContain(
    'Denied by the rule Bash(touch:*) in the command line (--deny).',
  )
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  await page.getByRole('button', { name: /^Permissions/ }).click()
  const rules = page.getByRole('table', { name: 'Rules' })
  await expect(rules.getByRole('row', { name: /Bash\(touch:\*\).*command line \(--deny\)/ })).toBeVisible()
  await expect(rules.getByRole('row', { name: /Bash\(ls -l\).*command line \(--allow\)/ })).toBeVisible()
  await expect(machine.startAgain(app, shop, '--deny', 'Edit')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Troupe is already open'),
  })
})
