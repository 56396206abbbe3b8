/**
 * The window in the system's Chromium, which is newer than the Electron of the other tests. The harness's build has a fake
 * main process with the real runtime and the program's content security policy. `npm test` builds it before this.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import { type Browser, chromium, expect, type Page, test } from '@playwright/test'
import { type PreviewServer, preview } from 'vite'
import { isQuick } from '../../src/shared/testing/tries.ts'

const HARNESS = join(import.meta.dirname, '..', 'harness', 'vite.config.ts')
const BUILD = join(import.meta.dirname, '..', '..', 'out', 'harness')
/** The runner sets it; empty: none is installed. */
const executablePath = process.env['TROUPE_CHROMIUM'] ?? '/usr/bin/chromium'

// biome-ignore lint/suspicious/noSkippedTests: the runner says why, and counts them
test.skip(!existsSync(executablePath), 'The package "chromium" is not installed.')

let server: PreviewServer
let origin: string
let browser: Browser
let page: Page
/** Errors of the page and of its console. */
let errors: string[]

test.beforeAll(async () => {
  server = await preview({ configFile: HARNESS, logLevel: 'error', preview: { host: '127.0.0.1', port: 0 } })
  origin = server.resolvedUrls?.local[0] ?? ''
  browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
})
test.afterAll(async () => {
  await browser.close()
  await server.close()
})
test.beforeEach(() => {
  errors = []
})
test.afterEach(async () => {
  await page.close()
  expect(errors).toEqual([])
})

/** Opens a scene of the harness. */
async function open(
  scene: string,
  options = '',
  { theme, ...viewport } = { theme: 'dark', width: 1440, height: 900 },
): Promise<void> {
  page = await browser.newPage({ viewport })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  await page.goto(`${origin}e2e/harness/index.html?harness=${scene}&theme=${theme}&${options}`)
  await expect(page.getByRole('main').first()).toBeVisible()
}

async function expectAccessible(): Promise<void> {
  // It throws if an element appears while it looks.
  await expect(async () => {
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160) ?? ''}`)).toEqual([])
  }).toPass({ timeout: 60_000 })
}

const composer = () => page.getByRole('textbox', { name: 'Message', exact: true })

test('sixteen panels stream side by side while the user types, and the palette opens above them', async () => {
  await open('stream', 'panels=16&rate=60')
  const stage = page.locator('[data-agent-panel]')
  await expect(stage.first()).toBeVisible()
  const before = await stage.first().textContent()
  await composer().fill('A message, typed while sixteen agents stream.')
  await expect(composer()).toHaveValue('A message, typed while sixteen agents stream.')
  await expect.poll(() => stage.first().textContent()).not.toBe(before)
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Go to' })
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('settings')
  await expect(page.getByRole('option', { name: 'Settings', exact: true })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'General', level: 1 })).toBeVisible()
})

test('the stage: a permission request is answered from the keyboard', async () => {
  await open('prompts', 'still')
  await expectAccessible()
  await page.keyboard.press('Control+Shift+p')
  const queue = page.getByRole('complementary', { name: 'Requests' })
  await expect(queue).toBeVisible()
  await expectAccessible()
  const waiting = page.getByRole('button', { name: /^\d+ requests?/ })
  const count = async () => Number.parseInt((await waiting.textContent()) ?? '', 10)
  const before = await count()
  // A press just after the request came into view does nothing.
  await expect(async () => {
    await page.keyboard.press('a')
    expect(await count()).toBeLessThan(before)
  }).toPass()
})

test('the editor: form and source stay in step, and a wrong value is shown', async () => {
  await open('agents', 'still')
  await page.keyboard.press('Control+2')
  await page.getByText('security-reviewer').first().click()
  const source = page.locator('.cm-content').first()
  await page.getByLabel('When to use it').fill('Reviews changes before they are merged.')
  await expect(source).toContainText('description: Reviews changes before they are merged.')
  await source.getByText('security-reviewer').first().click()
  await page.keyboard.press('End')
  await page.keyboard.type('-2')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('security-reviewer-2')
  await page.keyboard.press('Control+z')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('security-reviewer')
  await expectAccessible()
})

test('the test bench: results, attempts beside each other, a new case, and 9,600 attempts', async () => {
  for (const theme of ['dark', 'light'] as const) {
    await open('agent-tests', 'still', { theme, width: 1100, height: 700 })
    await page.getByRole('gridcell', { name: /^No false alarm on clean code, Draft: 1 of 6, worse/ }).click()
    await expect(page.getByText('first difference').first()).toBeVisible()
    await page.mouse.move(0, 0)
    await expectAccessible()
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await expect(page.locator('.cm-content')).toContainText('task:')
    await expectAccessible()
    if (theme === 'dark') await page.close()
  }
  await page.close()
  await open('agent-tests', 'still&many')
  const grid = page.getByRole('grid', { name: 'Results of security-reviewer' })
  await expect(grid.getByRole('gridcell', { name: /^Case 1, Version 3: 41 of 50/ })).toBeVisible()
  await grid.getByRole('gridcell', { name: /^Case 1, Version 3/ }).focus()
  for (let row = 1; row < 24; row++) await page.keyboard.press('ArrowDown')
  const last = grid.getByRole('gridcell', { name: /^Case 24, Version 3/ })
  await expect(last).toBeFocused()
  await expect(last).toBeInViewport()
  await page.keyboard.press('End')
  await expect(grid.getByRole('gridcell', { name: /^Case 24, Draft .*7:/ })).toBeInViewport()
})

test('Review: a diff with colored syntax, both ways of showing it, and the merge dialog', async () => {
  await open('review', 'still')
  await page.keyboard.press('Control+4')
  const lines = page.locator('[data-code=after]')
  await expect(lines.locator('[class*=keyword]').first()).toBeVisible()
  await page.getByRole('button', { name: 'Diff options: Side by side' }).click()
  await page.getByRole('menuitemradio', { name: 'Unified' }).click()
  await expect(page.getByRole('button', { name: 'Diff options: Unified' })).toBeVisible()
  await expectAccessible()
  await page.keyboard.press('m')
  await expect(page.getByRole('dialog')).toContainText(/into main/)
  await expectAccessible()
})

test('a stuck team of eight: the thread to all, the details of a task and its evidence, large', async () => {
  for (const theme of ['dark', 'light'] as const) {
    await open('team', 'still&stuck', { theme, width: 1100, height: 700 })
    await expect(
      page.getByText('Stuck: api-builder was stopped and still holds #4; #9 and #10 wait for that.'),
    ).toBeVisible()
    await page.getByRole('option', { name: /to all/ }).click()
    await expect(page.getByRole('list', { name: 'Read by 6 of 8 receivers' })).toBeInViewport()
    await expect(page.getByRole('article', { name: 'api-builder, answer' })).toHaveCount(1)
    await expectAccessible()
    // The second click of a double click does not close what the first one opened.
    await page.getByRole('option', { name: /^#2/ }).dblclick()
    const details = page.getByRole('dialog', { name: '#2 Move the charge key into the order' })
    await expect(details.getByText('Verification failed')).toBeVisible()
    await expectAccessible()
    await details.getByRole('button', { name: 'Open large' }).press('Enter')
    const large = page.getByRole('dialog', { name: 'npm test' })
    await expect(large.getByText('# fail 1')).toBeVisible()
    await expectAccessible()
    await page.keyboard.press('Escape')
    await expect(large).toHaveCount(0)
    await expect(details).toBeVisible()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByRole('option', { name: /^#4/, selected: true })).toBeVisible()
    if (theme === 'dark') await page.close()
  }
})

/**
 * Opens every menu, popover and list of the view in turn, one of each kind, and examines the page with each; on a slow
 * machine only the first.
 */
async function expectAccessibleOpened(): Promise<void> {
  await expectAccessible()
  const triggers = page.locator('button[aria-haspopup]:visible')
  const kinds = new Set<string>()
  for (let at = 0; at < (await triggers.count()); at++) {
    const trigger = triggers.nth(at)
    const label = (await trigger.getAttribute('aria-label')) ?? (await trigger.textContent()) ?? ''
    const kind = label.replaceAll(/[\d.,$]+|:.*/g, '')
    if (kinds.has(kind) || (await trigger.isDisabled())) continue
    if (isQuick && kinds.size > 0) break
    kinds.add(kind)
    await trigger.focus()
    await page.keyboard.press('Enter')
    await expect(trigger, label).toHaveAttribute('aria-expanded', 'true')
    await expectAccessible()
    await page.keyboard.press('Escape')
    await expect(trigger, label).not.toHaveAttribute('aria-expanded', 'true')
  }
}

test.describe('axe finds nothing, whatever is open:', () => {
  test.slow()

  test('the stage with its menus, and the menus of panels, tiles, agents and conversations', async () => {
    await open('crowd', 'still')
    await expectAccessibleOpened()
    for (const part of [
      '[data-agent-panel] header',
      '[data-agent-tile]',
      '[role=treeitem]',
      '[data-conversation]',
    ]) {
      await page.locator(part).first().click({ button: 'right' })
      await expect(page.getByRole('menu'), part).toBeVisible()
      await expectAccessible()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('menu'), part).toHaveCount(0)
    }
  })

  for (const [scene, key] of [
    ['done', null],
    ['agents', '2'],
    ['review', '4'],
    ['environments', '6'],
    ['team', '5'],
  ] as const)
    test(`the scene ${scene} with its menus`, async () => {
      await open(scene, 'still')
      if (key !== null) await page.keyboard.press(`Control+${key}`)
      await expectAccessibleOpened()
    })

  test('every page of the settings with its menus', async () => {
    await open('stage', 'still')
    await page.keyboard.press('Control+,')
    const pages = page.getByRole('navigation', { name: 'Settings' }).getByRole('button')
    await expect(pages.first()).toBeVisible()
    for (let at = 0; at < (await pages.count()); at++) {
      await pages.nth(at).click()
      await expect(page.getByRole('main')).toBeVisible()
      await expectAccessibleOpened()
    }
  })

  test('the dialogs of the palette', async () => {
    await open('crowd', 'still')
    await page.keyboard.press('Control+k')
    await expectAccessible()
    await page.keyboard.press('Escape')
    for (const command of DIALOGS) {
      await page.keyboard.press('Control+1')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill(command)
      await expect(page.getByRole('option', { selected: true })).toContainText(command)
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog').and(page.locator('[data-open]'))
      await expect(dialog.last(), command).toBeVisible()
      await expectAccessible()
      await page.keyboard.press('Escape')
      await expect(dialog, command).toHaveCount(0)
    }
  })
})

const DIALOGS = [
  'External agents…',
  'Save panel layout…',
  'Deleted conversations…',
  'Keys and commands',
  'Conversation limits',
  'Conversation usage',
  'Context window',
  'Send to several agents…',
]

/** The scenes, and whether axe examines them, too. */
const SCENES: readonly (readonly [string, boolean])[] = [
  ['first-run', true],
  ['untrusted', false],
  ['rehearsal', true],
  ['lifecycle', true],
  ['messages', false],
  ['troubles', false],
  ['crowd', false],
  ['agents-many', false],
]

test('every kind of scene is drawn without an error, small and light', async () => {
  for (const [scene, isExamined] of SCENES) {
    await open(scene, 'still', { theme: 'light', width: 1100, height: 700 })
    if (isExamined) await expectAccessible()
    expect(errors, scene).toEqual([])
    await page.close()
  }
})

test('the engine knows every declaration of the style sheets', async () => {
  await open('empty')
  const folder = join(BUILD, 'assets')
  const css = readdirSync(folder)
    .filter((name) => name.endsWith('.css'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  const { known, unknown } = await page.evaluate((text) => {
    const rules = text
      // Descriptors of fonts and of custom properties are no declarations.
      .replaceAll(/@(?:font-face|property [^{]*)\{[^}]*\}/g, '')
      // The library for free docking has two rules that no engine knows.
      .replaceAll(/[^{}]*\.dv-[^{}]*\{[^}]*\}/g, '')
    const found = new Set<string>()
    let all = 0
    for (const [, property = '', value = ''] of rules.matchAll(
      /[{;]\s*([a-z][a-z-]*)\s*:\s*([^;{}]+)(?=[;}])/g,
    )) {
      all++
      const plain = value.replace(/\s*!important$/, '')
      if (!CSS.supports(property, plain)) found.add(`${property}: ${plain}`)
    }
    return { known: all - found.size, unknown: [...found] }
  }, css)
  expect(unknown).toEqual([])
  expect(known).toBeGreaterThan(500)
})
