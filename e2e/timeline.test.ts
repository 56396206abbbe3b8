/** The timeline in the real window: lanes, keys, a place in a transcript, and a replay of a request that was answered. */
import { expect, test } from '@playwright/test'
import { composer, expectAccessible, machineOfEachTest, picture, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: I start two.
      - tool: Agent
        input: { description: Write the note, subagent_type: general-purpose, prompt: "Write note.md." }
      - tool: Agent
        input: { description: Look around, subagent_type: general-purpose, prompt: "Look around." }
  - agent: /Write note/
    turn: 1
    reply:
      - tool: Write
        input: { file_path: note.md, content: "A note." }
  - agent: /Look around/
    turn: 1
    reply:
      - tool: Glob
        input: { pattern: "*.md" }
  - reply: Done.
`

test('lanes, spans by keys, a place in a transcript, and a replay that shows a request and leads back', async () => {
  const folder = await machine.repository('shop', { 'README.md': '# Shop\n' })
  const window = await machine.open({
    folder,
    scenario: SCENARIO,
    settings: { trustedFolders: [folder], theme: 'dark' },
  })
  const { page } = window
  await composer(page).waitFor()
  await send(page, 'Write a note and look around.')
  const allow = page.getByRole('button', { name: /^Allow once/ }).first()
  await allow.waitFor({ timeout: 60_000 })
  await expect(allow).toBeEnabled()
  await allow.press('Enter')
  await expect(page.getByText('Done.').first()).toBeVisible({ timeout: 60_000 })
  const strip = page.getByRole('region', { name: 'Timeline' })
  await expect(strip).toBeVisible()

  await page.keyboard.press('Control+3')
  const spans = page.getByRole('listbox')
  await expect(spans).toBeFocused()
  await expect(page.locator('[data-lane]')).toHaveCount(3)
  await page.keyboard.press('j')
  await expect(spans).toHaveAccessibleName(/Spans of Write the note/)
  await page.keyboard.press('Home')
  const chosen = spans.getByRole('option', { selected: true })
  await expect(async () => {
    await page.keyboard.press('ArrowRight')
    expect(await chosen.textContent()).toContain('waits for your permission')
  }).toPass()
  await expect(chosen).toContainText('you allowed it')
  await page.keyboard.press('ArrowRight')
  await expect(chosen).toContainText('Write')
  await expectAccessible(page)
  await picture(window, 'timeline-1-span')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Stage' })).toHaveAttribute('aria-current', 'page')

  // The request, once more: as it was, and not to be answered.
  await page.keyboard.press('Control+3')
  await page.getByRole('radio', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'To the start' }).click()
  await expect(page.locator('[data-lane]')).toHaveCount(3)
  await page.getByRole('button', { name: /^Stops/ }).click()
  await page.getByRole('menuitemradio', { name: 'Requests to you' }).click()
  await page.getByRole('button', { name: 'Next stop' }).click()
  await page.keyboard.press('Control+1')
  await expect(page.getByText('You see a past moment').first()).toBeVisible()
  await expect(page.getByText(/Go back to now to answer/).first()).toBeVisible()
  await expect(page.getByRole('button', { name: /^Allow once/ })).toHaveCount(0)
  await expect(page.getByText('Done.')).toHaveCount(0)
  await expectAccessible(page)
  await picture(window, 'timeline-2-past')
  const before = (await machine.events()).length
  await page.getByRole('button', { name: 'Back to now' }).first().click()
  await expect(page.getByText('Done.').first()).toBeVisible()
  await expect(page.getByText('You see a past moment')).toHaveCount(0)
  expect((await machine.events()).length).toBe(before)
})
