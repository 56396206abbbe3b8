/** A new user's path in the real window: a folder, a task, parallel agents, a restart. */
import { execFileSync } from 'node:child_process'
import { expect, type Page, test } from '@playwright/test'
import {
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  mostAtOnce,
  picture,
  resize,
  send,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const FILES = {
  'package.json': JSON.stringify({ name: 'shop', scripts: { test: 'node test.js' }, main: 'src/index.js' }),
  'src/index.js': "const { charge } = require('./charge.js')\nmodule.exports = { charge }\n",
  'src/charge.js':
    '// TODO: the zebracorn key must be made once per order\nfunction charge(order) {\n  return { order, key: Math.random() }\n}\nmodule.exports = { charge }\n',
  'test.js': "console.log('1 passing')\n",
  'README.md': '# Shop\n',
}

const processes = (pattern: string): string[] => {
  try {
    return execFileSync('pgrep', ['-f', '--', pattern], { encoding: 'utf8' }).split('\n').filter(Boolean)
  } catch {
    return []
  }
}

test('without a key: a survey by parallel agents, a request answered with the keyboard, a true report, all restored after a restart', async () => {
  const folder = await machine.repository('shop', FILES)
  let window = await machine.open({ folder, pace: 400 })
  await picture(window, '01-trust')
  await expectAccessible(window.page)
  await window.page.getByRole('button', { name: /I trust this folder/ }).press('Enter')
  const rehearse = window.page.getByRole('button', { name: /rehears/i }).first()
  await rehearse.waitFor()
  await picture(window, '02-access')
  await rehearse.press('Enter')
  await composer(window.page).waitFor()
  await picture(window, '03-empty')
  await expect(window.page.getByRole('button', { name: 'Send', exact: true })).toHaveCSS('opacity', '0.45')
  await expectAccessible(window.page)

  await send(window.page, 'Why is the zebracorn key made twice?')
  // Several panels stream at once.
  await expect(
    window.page.getByRole('article').or(window.page.locator('[data-agent-panel]')),
  ).not.toHaveCount(0)
  const { page } = window
  await expect(page.getByRole('button', { name: /^\d+ requests?/ })).toBeVisible({ timeout: 60_000 })
  await picture(window, '04-question')
  await expectAccessible(page)
  await page.keyboard.press('Control+Shift+P')
  await picture(window, '05-question-queue')
  await expectAccessible(page)
  // A press just after the request came into view does nothing.
  await expect(async () => {
    await page.keyboard.press('a')
    const answered = (await machine.events()).filter((event) => event.type === 'permission-answered')
    expect(answered).not.toEqual([])
  }).toPass()

  await expect(page.getByText('src/charge.js:1').first()).toBeVisible({ timeout: 90_000 })
  await eventually(async () => (await machine.events()).at(-1)?.type, { timeout: 60_000 }).toBe(
    'status-changed',
  )
  await picture(window, '06-report')
  await expectAccessible(page)
  const events = await machine.events()
  expect(mostAtOnce(events)).toBeGreaterThanOrEqual(4)
  expect(
    events.filter((event) => event.type === 'agent-ended' && event.status === 'completed').length,
  ).toBeGreaterThanOrEqual(4)
  expect(window.errors).toEqual([])

  await machine.close()
  window = await machine.open({ folder })
  await window.page.getByText('Why is the zebracorn key made twice?').first().click()
  await expect(window.page.getByText('src/charge.js:1').first()).toBeVisible()
  await picture(window, '07-after-restart')
  expect(window.errors).toEqual([])
})

const TWO_SLEEPERS = `
steps:
  - agent: /main agent/
    when: sleep
    reply:
      - text: Two agents sleep.
      - tool: Agent
        repeat: 2
        input: { description: "sleep {{n}}", subagent_type: Bash, prompt: "Sleeper {{n}}" }
  - agent: /Sleeper (\\d)/
    turn: 1
    reply:
      - tool: Bash
        input: { command: "sleep 613.{{1}}", description: Sleep }
  - reply: "I am awake: {{results}}"
`

test('Escape stops all agents and their processes; after a restart all of them continue', async () => {
  const folder = await machine.repository('shop', FILES)
  const settings = { trustedFolders: [folder], bypassFolders: [folder], permissionMode: 'bypassPermissions' }
  const window = await machine.open({ folder, scenario: TWO_SLEEPERS, settings })
  await send(window.page, 'sleep')
  await eventually(() => processes('^sleep 613\\.').length).toBe(2)
  await picture(window, '08-working')
  // The first press only leaves the composer; one press too many stops nothing.
  await composer(window.page).focus()
  await window.page.keyboard.press('Escape')
  await expect(composer(window.page)).not.toBeFocused()
  await window.page.keyboard.press('Escape')
  await expect(window.page.getByText('Press Escape again to stop all 3 agents.')).toBeVisible()
  expect(processes('^sleep 613\\.').length).toBe(2)
  await window.page.keyboard.press('Escape')
  await window.page.keyboard.press('Escape')
  await eventually(() => processes('sleep 613\\.').length).toBe(0)
  await expect(window.page.getByText(/^Stopped: Main agent, sleep 1/)).toBeVisible()
  await eventually(async () =>
    (await machine.events()).filter((event) => event.type === 'agent-ended').map((event) => event.status),
  ).toEqual(['stopped', 'stopped', 'stopped'])
  await picture(window, '09-stopped')
  await expectAccessible(window.page)

  const again = await machine.open({ folder, scenario: TWO_SLEEPERS, settings })
  await expect(again.page.getByText(/2 subagents were stopped too/)).toBeVisible()
  await again.page.getByRole('button', { name: 'Continue all' }).click()
  await eventually(async () =>
    (await machine.events()).filter((event) => event.type === 'agent-ended').map((event) => event.status),
  ).toEqual(['stopped', 'stopped', 'stopped', 'completed', 'completed'])
  await expect(again.page.getByText(/I am awake/).first()).toBeVisible()
  await expect(again.page.getByRole('button', { name: 'Continue all' })).toHaveCount(0)
  expect([...window.errors, ...again.errors]).toEqual([])
})

test('deep markdown and far cursor positions break nothing', async () => {
  const folder = await machine.repository('shop', FILES)
  const items = Array.from({ length: 200 }, (_, level) => `${'  '.repeat(level)}- item ${level}`).join('\\n')
  const scenario = `
steps:
  - turn: 1
    reply:
      - text: "${'> '.repeat(3000)}deep quote\\n\\n${'- '.repeat(800)}deep list"
      - tool: Bash
        input: { command: "printf 'left\\\\033[999999999Gright'", description: Print }
  - reply: "${items}\\n\\nAll is drawn."
`
  const settings = { trustedFolders: [folder], bypassFolders: [folder], permissionMode: 'bypassPermissions' }
  const window = await machine.open({ folder, scenario, settings })
  const { page } = window
  await send(page, 'draw')
  const whole = page.getByRole('button', { name: /^Show all/ }).last()
  await whole.click()
  await expect(page.getByText('All is drawn.')).toBeVisible()
  await page.getByRole('button', { name: /^Bash/ }).click()
  await expect(page.getByText(/^left *right$/)).toBeVisible()
  await expect(page.getByText('Something broke')).toHaveCount(0)
  await expect(page.getByText("Can't show this entry")).toHaveCount(0)
  await picture(window, '13-deep')
  expect(window.errors).toEqual([])
})

const EXACT =
  'git commit --no-verify --message="1280x720 -> fixed, a === b" --author="Ada <ada@example.invalid>" -- src/very-long-file-name-of-this-project.ts && npm run build -- --mode=production --no-color --out-dir=dist/1280x720 && git push --force-with-lease origin HEAD:refs/heads/fix-it'

test('a command is drawn exactly: no ligatures, and lines break between arguments only', async () => {
  const folder = await machine.repository('shop', FILES)
  const scenario = `
steps:
  - turn: 1
    reply:
      - text: "I run \`git commit --no-verify\`, then the build, and push with \`--force-with-lease\` at 1280x720 -> done."
      - tool: Bash
        input: { command: ${JSON.stringify(EXACT)}, description: Commit }
  - reply: done
`
  const window = await machine.open({ folder, scenario, settings: { trustedFolders: [folder] } })
  const { page } = window
  await send(page, 'commit')
  const request = page.getByRole('group', { name: /wants to run/ })
  await request.getByRole('button', { name: 'Full command' }).click()
  const command = request.locator('pre')
  await expect(command).toHaveText(EXACT)
  await picture(window, '10-exact-command')
  for (const [width, height] of [
    [1440, 900],
    [1100, 700],
  ] as const) {
    await resize(window, width, height)
    const drawn = await command.evaluate((pre) => {
      const line = Number.parseFloat(getComputedStyle(pre).lineHeight)
      const selection = getSelection()
      selection?.selectAllChildren(pre)
      const selected = selection?.toString()
      selection?.removeAllRanges()
      return {
        selected,
        lines: Math.round(pre.scrollHeight / line),
        divided: [...pre.children]
          .filter((argument) => argument.getBoundingClientRect().height > line * 1.5)
          .map((argument) => argument.textContent),
        ligatures: [...document.querySelectorAll('*')].filter(
          (element) => getComputedStyle(element).fontVariantLigatures !== 'none',
        ).length,
      }
    })
    expect(drawn.lines).toBeGreaterThan(2)
    expect(drawn).toMatchObject({ selected: EXACT, divided: [], ligatures: 0 })
  }
  await expectAccessible(page)
  expect(window.errors).toEqual([])
})

test('two conversations with their own agents; renamed, deleted, restored', async () => {
  const folder = await machine.repository('shop', FILES)
  const scenario = `
steps:
  - when: /(\\w+) please/
    reply: "Here is {{1}}."
  - reply: What?
`
  const window = await machine.open({ folder, scenario, settings: { trustedFolders: [folder] } })
  const { page } = window
  await send(page, 'tea please')
  await expect(page.getByText('Here is tea.')).toBeVisible()
  await page.keyboard.press('Control+n')
  await send(page, 'coffee please')
  await expect(page.getByText('Here is coffee.')).toBeVisible()
  await expect(page.getByText('Here is tea.')).toHaveCount(0)
  await picture(window, '10-two-conversations')
  await page
    .getByRole('button', { name: /tea please/ })
    .or(page.getByText('tea please'))
    .first()
    .click()
  await expect(page.getByText('Here is tea.')).toBeVisible()
  await expect(page.getByText('Here is coffee.')).toHaveCount(0)
  expect(window.errors).toEqual([])
})

test('24 agents: four panels, the others as tiles, all of them in the tree', async () => {
  const folder = await machine.repository('shop', FILES)
  const scenario = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: Twenty-four agents look at one thing each.
      - tool: Agent
        repeat: 24
        input: { description: "look at thing {{n}}", subagent_type: general-purpose, prompt: "Thing {{n}}" }
  - agent: /Thing (\\d+)/
    turn: 1
    reply:
      - text: "Looking at thing {{1}}, one file after the other, to find out what is in it."
      - tool: Grep
        input: { pattern: "charge", output_mode: content }
  - agent: /Thing (\\d*[13579])$/
    turn: 2
    reply:
      - text: "Thing {{1}} needs its test to be run."
      - tool: Bash
        input: { command: "node test.js && sleep 0.{{1}}", description: Run the test }
  - agent: /Thing (\\d+)/
    reply: "Thing {{1}} is **fine**: see \`src/charge.js:2\`."
  - reply: All twenty-four have reported.
`
  const window = await machine.open({
    folder,
    scenario,
    pace: 200,
    settings: { trustedFolders: [folder], maxParallelAgents: 24, theme: 'dark' },
  })
  const { page } = window
  await send(page, 'Look at everything')
  await eventually(async () => mostAtOnce(await machine.events()), {
    timeout: 60_000,
  }).toBeGreaterThanOrEqual(20)
  // All of them: a later one would be last in the drawer.
  await expect(page.getByRole('button', { name: /^12 requests?/ })).toBeVisible({ timeout: 60_000 })
  await picture(window, '11-twenty-four')
  await expectAccessible(page)
  await expectSteadyUnderPointer(page)

  // Answers all requests from the keyboard, one after the other.
  await page.keyboard.press('Control+Shift+P')
  const answered = async () =>
    (await machine.events()).filter((event) => event.type === 'permission-answered').length
  await eventually(
    async () => {
      await page.keyboard.press('a')
      return answered()
    },
    { timeout: 60_000 },
  ).toBe(12)
  // No answer came before the drawer had the focus, or after the last request.
  await expect(composer(page)).toHaveValue('')
  await expect(page.getByText('All twenty-four have reported.').first()).toBeVisible({ timeout: 60_000 })
  await page.keyboard.press('Escape')
  await picture(window, '12-twenty-four-done')
  await expectAccessible(page)
  expect(window.errors).toEqual([])
})

test('a long change scrolls by itself: its reason and the buttons stay in view', async () => {
  const folder = await machine.repository('shop', FILES)
  const lines = Array.from({ length: 400 }, (_, line) => `export const value${line} = ${line}`)
  const scenario = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        repeat: 4
        input: { description: "write part {{n}}", subagent_type: general-purpose, prompt: "Part {{n}}" }
  - agent: /Part (\\d+)/
    turn: 1
    reply:
      - tool: Write
        input: { file_path: "src/part{{1}}.js", content: ${JSON.stringify(`${lines.join('\n')}\n`)} }
  - reply: Done.
`
  const window = await machine.open({
    folder,
    scenario,
    settings: { trustedFolders: [folder], theme: 'dark' },
  })
  const { page } = window
  await send(page, 'Write four parts')
  await expect(page.getByRole('button', { name: /^4 requests?/ })).toBeVisible()
  for (const [width, height] of [
    [1440, 900],
    [1100, 700],
  ] as const) {
    await resize(window, width, height)
    await expectLoneScroller(page, '[data-agent-panel] [data-request]')
  }
  await picture(window, '13-long-change')
  expect(window.errors).toEqual([])
})

/** One part of the request scrolls vertically, and every button of the request is in view. */
async function expectLoneScroller(page: Page, selector: string): Promise<void> {
  const card = page.locator(selector).first()
  const more = card.getByRole('button', { name: /more lines/ })
  // At least eight lines are there before the rest.
  await expect
    .poll(() => card.getByRole('region', { name: 'Proposed change' }).locator('.grid').count())
    .toBeGreaterThanOrEqual(8)
  if (await more.isVisible()) await more.click()
  await expect(card.getByRole('button', { name: /^Deny/ })).toBeInViewport({ ratio: 1 })
  await expect(card.getByRole('button', { name: /^Allow once/ })).toBeInViewport({ ratio: 1 })
  const scrollers = await card.evaluate((element) => {
    const all = [...element.querySelectorAll('*')]
    for (let above = element.parentElement; above !== null; above = above.parentElement)
      if (above.matches('[data-agent-panel]')) break
      else all.push(above)
    return all.filter(
      (one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY),
    ).length
  })
  expect(scrollers).toBe(1)
}

/** Nothing moves when the pointer enters a panel or its header, and the controls cover no text. */
async function expectSteadyUnderPointer(page: Page): Promise<void> {
  const panel = page
    .locator('[data-agent-panel]')
    .filter({ has: page.getByRole('button', { name: /^Allow once/ }) })
  const boxes = () =>
    panel
      .first()
      .locator('button, h3, input')
      .evaluateAll((all) => all.map((one) => `${one.tagName} ${JSON.stringify(one.getBoundingClientRect())}`))
  await page.mouse.move(0, 0)
  const before = await boxes()
  expect(before.length).toBeGreaterThan(5)
  await panel.first().hover()
  expect(await boxes()).toEqual(before)
  await panel.first().locator('header').hover()
  expect(await boxes()).toEqual(before)
  const task = await panel.first().locator('h3').boundingBox()
  const controls = await panel.first().locator('[data-panel-controls]').boundingBox()
  expect((task?.y ?? 0) + (task?.height ?? 0)).toBeLessThanOrEqual(controls?.y ?? 0)
}
