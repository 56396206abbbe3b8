/** Transcripts in the real window, where there is layout: selection, keys, long messages. */
import { expect, test } from '@playwright/test'
import { Machine, picture, send } from './testing/troupe-window.ts'

let machine: Machine
test.beforeEach(async () => {
  machine = await Machine.create()
})
test.afterEach(() => machine.dispose())

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
    reply: "First words of reporter {{1}}.\\n\\n\`\`\`ts\\nconst reporter = {{1}}\\nconst key = await made(order)\\n\`\`\`\\n\\nLast words of reporter {{1}}."
  - reply: Both have reported.
`

test('a selection stays in the panel where it starts', async () => {
  const folder = await machine.repository('shop', { 'README.md': '# Shop\n' })
  const window = await machine.open({
    folder,
    scenario: TWO_PANELS,
    settings: { trustedFolders: [folder] },
  })
  const { page } = window
  await send(page, 'report')
  await expect(page.getByText('Both have reported.')).toBeVisible({ timeout: 60_000 })
  const logs = page.getByRole('log').filter({ hasText: 'First words of reporter' })
  await expect(logs).toHaveCount(2)
  const first = await logs.first().getByText('First words of reporter').boundingBox()
  const other = await logs.last().getByText('Last words of reporter').boundingBox()
  if (first === null || other === null) throw new Error('The panels are not shown')
  await page.mouse.move(first.x + 2, first.y + first.height / 2)
  await page.mouse.down()
  await page.mouse.move(other.x + 40, other.y + other.height / 2, { steps: 12 })
  await page.mouse.up()
  const selection = await page.evaluate(() => getSelection()?.toString() ?? '')
  const name = /First words of reporter (\d)/.exec(selection)?.[1]
  expect(selection).toContain('First words of reporter')
  expect(selection.replaceAll(`reporter ${name}`, '').match(/reporter \d/g)).toBeNull()
  await page.mouse.click(first.x + 2, first.y + first.height / 2)
  await page.keyboard.press('Control+a')
  const all = await page.evaluate(() => getSelection()?.toString() ?? '')
  expect(all).toContain(`Last words of reporter ${name}`)
  expect(all.replaceAll(`reporter ${name}`, '').match(/words of reporter \d/g)).toBeNull()
  await picture(window, '14-selection')
  expect(window.errors).toEqual([])
})
