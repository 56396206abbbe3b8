/** The search and the table of conversations in the real window, over real transcripts. */
import { expect, test } from '@playwright/test'
import { expectAccessible, machineOfEachTest, picture, resize, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const LONG = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: The heliotrope ledger is kept by a subagent.
      - tool: Agent
        input: { description: "keep the ledger", subagent_type: Explore, prompt: "Keep it" }
  - agent: /Keep it/
    reply: "${Array.from({ length: 120 }, (_, at) => `Line ${at} of the report.\\n\\n`).join('')}The amaranth key is at the end."
  - reply: All is kept.
`

test('a place is found, opened where it stands, and left again; the table lists the conversation', async () => {
  const folder = await machine.repository('shop', { 'README.md': '# Shop\n' })
  const window = await machine.open({
    folder,
    scenario: LONG,
    settings: { trustedFolders: [folder] },
  })
  const { page } = window
  await send(page, 'Keep the ledger')
  await expect(page.getByText('All is kept.')).toBeVisible({ timeout: 60_000 })

  await page.keyboard.press('Control+Shift+F')
  const field = page.getByRole('textbox', { name: 'Search in conversations' })
  await expect(field).toBeFocused()
  await page.keyboard.type('amaranth key')
  const place = page.getByRole('option', { name: /amaranth key/ })
  await expect(place.first()).toBeVisible()
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect(preview.getByText('The amaranth key is at the end.')).toBeInViewport()
  await expectAccessible(page)
  await picture(window, '60-search')
  await resize(window, 1100, 700)
  await picture(window, '61-search-narrow')
  await resize(window, 1440, 900)

  // The subagent's own words, not those that its parent received.
  await page.getByRole('button', { name: /^Explore/ }).click()
  await page.getByRole('radio', { name: 'Said' }).click()
  await expect(place).toHaveCount(1)
  await field.focus()
  await page.keyboard.press('Enter')
  const marked = page.locator('[data-place]')
  await expect(marked).toHaveCount(1)
  await expect(marked.getByText('The amaranth key is at the end.')).toBeInViewport()

  await page.keyboard.press('Control+Shift+H')
  const row = page.getByRole('option', { name: /All is kept/ })
  await expect(row).toBeVisible()
  await page.keyboard.press('e')
  await expect(page.getByText('No conversation matches')).toBeVisible()
  await page.getByRole('radio', { name: /^Archived/ }).click()
  await expect(row).toBeVisible()
  await expectAccessible(page)
  await picture(window, '62-conversations')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('log').first()).toBeVisible()
})
