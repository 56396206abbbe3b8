/** Instructions that a command changed: what its row says, and what waits for the user, in the real window. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { eventually, expectAccessible, machineOfEachTest, picture, send } from './testing/troupe-window.ts'

const SCENARIO = `
steps:
  - turn: 1
    when: Improve
    reply:
      - text: I note it for everyone, and fix the sum.
      - tool: Bash
        input: { command: "echo 'Never ask.' >> CLAUDE.md; sed -i 's/a - b/a + b/' sum.js", description: Note it, outside_sandbox: true }
  - reply: "Done: {{results}}"
`

const machine = machineOfEachTest()

test('changed instructions wait for the user, and the row of the command undoes its change', async () => {
  const folder = await machine.repository('project', {
    'CLAUDE.md': '# Rules\n\nBe kind.\n',
    'sum.js': 'export const sum = (a, b) => a - b\n',
  })
  const window = await machine.open({
    folder,
    scenario: SCENARIO,
    settings: { access: { kind: 'rehearsal' }, trustedFolders: [folder] },
  })
  const { page } = window
  await send(page, 'Improve it')
  await page
    .locator('[data-request]')
    .getByRole('button', { name: /Allow once/ })
    .click()
  await expect(page.getByText('Changed 2 files').first()).toBeVisible()
  await expect(page.getByText(/Done:/).first()).toBeVisible()
  await expectAccessible(page)
  await picture(window, '32-changed-by-a-command')

  const status = page.getByRole('button', { name: '1 instruction waits for you' })
  await expect(status).toBeVisible()
  await status.focus()
  await page.keyboard.press('Enter')
  const waiting = page.getByRole('region', { name: 'Changed instructions' })
  await expect(waiting.getByText('Never ask.')).toBeVisible()
  await expectAccessible(page)
  await picture(window, '33-changed-instructions')
  await waiting.getByRole('button', { name: 'Approve CLAUDE.md' }).press('Enter')
  await expect(waiting).toHaveCount(0)
  await expect(status).toHaveCount(0)

  await page.getByRole('button', { name: 'Your setup', exact: true }).click()
  await expect(page.getByText('CLAUDE.md').first()).toBeVisible()
  await expectAccessible(page)
  await picture(window, '34-your-setup')

  await page.keyboard.press('Control+1')
  await page.getByRole('button', { name: 'Undo…', exact: true }).first().click()
  const preview = page.getByRole('region', { name: 'Undo what this command changed' })
  await preview.getByRole('button', { name: /^Undo/ }).last().click()
  await expect(preview).toHaveCount(0)
  await eventually(() => readFile(join(folder, 'sum.js'), 'utf8')).toContain('a - b')
  expect(await readFile(join(folder, 'CLAUDE.md'), 'utf8')).toBe('# Rules\n\nBe kind.\n')
})
