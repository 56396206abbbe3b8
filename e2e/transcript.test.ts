/** Transcripts in the real window, where there is layout: selection, keys, long messages. */
import { expect, type Page, test } from '@playwright/test'
import {
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  send,
  showPanels,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const TWO_PANELS = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: Two agents report.
      - tool: Agent
        repeat: 2
        input: { description: "report {{n}}", subagent_type: Explore, prompt: "Reporter {{n}}" }
  - agent: /Reporter (\\d)/
    reply: "First words of reporter {{1}}, which go on for so long that they fill the first line of every panel from its left edge to its right edge.\\n\\n\`\`\`ts\\nconst key = await made({ with: so, many: options, that: the, line: reaches, the: edge, of: every, panel: too })\\nconst reporter = {{1}}\\n\`\`\`\\n\\nLast words of reporter {{1}}."
  - reply: Both have reported.
`

test('a selection stays in the panel where it starts; the context window is shown by part', async () => {
  const folder = await machine.repository('shop', { 'README.md': '# Shop\n' })
  const window = await machine.open({
    folder,
    scenario: TWO_PANELS,
    settings: { trustedFolders: [folder] },
  })
  const { page } = window
  await send(page, 'report')
  await expect(page.getByText('Both have reported.')).toBeVisible({ timeout: 60_000 })
  await showPanels(page)
  const logs = page.getByRole('log').filter({ hasText: 'First words of reporter' })
  await expect(logs).toHaveCount(2)
  expect(await coveredText(page)).toEqual([])
  const first = await logs.first().getByText('First words of reporter').boundingBox()
  const other = await logs.last().getByText('Last words of reporter').boundingBox()
  if (first === null || other === null) throw new Error('The panels are not shown')
  await page.mouse.move(first.x + 2, first.y + 6)
  await page.mouse.down()
  await page.mouse.move(other.x + 40, other.y + 6, { steps: 12 })
  await page.mouse.up()
  const selection = await page.evaluate(() => getSelection()?.toString() ?? '')
  const name = /First words of reporter (\d)/.exec(selection)?.[1]
  expect(selection).toContain('First words of reporter')
  expect(selection.replaceAll(`reporter ${name}`, '').match(/reporter \d/g)).toBeNull()
  await page.mouse.click(first.x + 2, first.y + 6)
  await page.keyboard.press('Control+a')
  const all = await page.evaluate(() => getSelection()?.toString() ?? '')
  expect(all).toContain(`Last words of reporter ${name}`)
  expect(all.replaceAll(`reporter ${name}`, '').match(/words of reporter \d/g)).toBeNull()
  await picture(window, '14-selection')

  const ring = page.getByRole('button', { name: /of the context window used/ }).first()
  await ring.focus()
  await page.keyboard.press('Enter')
  const context = page.getByRole('dialog', { name: 'Context window' })
  await context.getByRole('button', { name: 'Tool results' }).click()
  await expect(context.getByRole('row', { name: /^Agent \(2\)/ })).toBeVisible()
  await picture(window, '15-context')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(ring).toBeFocused()
  expect(window.errors).toEqual([])
})

test('the keys reach both ends of a long transcript, and find reaches every match', async () => {
  const folder = await machine.repository('shop', { 'README.md': '# Shop\n' })
  const block = (at: number) =>
    `      - text: "Block ${at}. ${'Some words. '.repeat((at * 7) % 16)}${at === 230 ? 'A **nee**dle.' : ''}"`
  const scenario = `
steps:
  - turn: 1
    reply:
      - text: The very first words.
      - tool: Read
        repeat: 250
        input: { file_path: README.md }
${Array.from({ length: 500 }, (_, at) => block(at)).join('\n')}
  - reply: "The very last words.\\n\\n${Array.from({ length: 200 }, (_, at) => `Paragraph ${at}.`).join('\\n\\n')}"
`
  const window = await machine.open({ folder, scenario, settings: { trustedFolders: [folder] } })
  const { page } = window
  await send(page, 'long')
  const log = page.getByRole('log')
  await expect(page.getByText('The very last words.')).toBeVisible({ timeout: 60_000 })
  await page.reload()
  await expect(log).toBeVisible()
  await log.press('Home')
  const top = () => log.evaluate((element) => element.scrollTop)
  await expect(page.getByText('The very first words.')).toBeInViewport()
  await eventually(top).toBe(0)
  await expect(page.getByRole('button', { name: /^Read 1 file/ })).toBeInViewport()
  await picture(window, '15-start')
  await log.press('End')
  await eventually(() =>
    log.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop),
  ).toBeLessThan(5)
  await log.press('Control+f')
  await page.getByRole('textbox', { name: 'Find in Main agent' }).fill('needle')
  await expect(page.getByText('1 of 1')).toBeVisible()
  await expect(page.getByText('Block 230.')).toBeInViewport()
  await page.getByRole('textbox', { name: 'Find in Main agent' }).fill('Paragraph 199.')
  await expect(page.getByText('Paragraph 199.', { exact: true })).toBeInViewport()
  await picture(window, '16-found')
  expect(window.errors).toEqual([])
})

/** The texts of all transcripts that a button lies over, visible or not, with the button's name. */
async function coveredText(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    for (const log of document.querySelectorAll('[role="log"]')) {
      const buttons = [...log.querySelectorAll('button')]
      const walker = document.createTreeWalker(log, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        if (node.textContent?.trim() === '' || node.parentElement?.closest('button, .sr-only') !== null)
          continue
        // Code that is wider than its block scrolls inside it.
        const right = node.parentElement?.closest('pre')?.getBoundingClientRect().right ?? Infinity
        const range = document.createRange()
        range.selectNodeContents(node)
        for (const text of range.getClientRects())
          for (const button of buttons) {
            const box = button.getBoundingClientRect()
            const width = Math.min(text.right, box.right, right) - Math.max(text.left, box.left)
            const height = Math.min(text.bottom, box.bottom) - Math.max(text.top, box.top)
            if (width > 1 && height > 1) found.push(`${button.ariaLabel} covers “${node.textContent}”`)
          }
      }
    }
    return [...new Set(found)]
  })
}
