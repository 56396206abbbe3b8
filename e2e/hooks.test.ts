/** Hooks in the real window, with real processes. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { expectAccessible, machineOfEachTest, picture } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const settings = (timeout: number) =>
  JSON.stringify({
    hooks: {
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'echo "Ticket 7"', timeout }] }],
      PreToolUse: [{ matcher: 'Edit|Write', hooks: [{ type: 'command', command: 'node no-secrets.mjs' }] }],
      SubagentStop: [{ hooks: [{ type: 'command', command: './notify.sh', timeout: 5 }] }],
    },
  })

test("a project's hook is approved in the window, runs, and waits again after a change", async () => {
  const folder = await machine.repository('shop', { '.claude/settings.json': settings(30) })
  const window = await machine.open({
    folder,
    settings: { trustedFolders: [folder], access: { kind: 'rehearsal' } },
  })
  const { page } = window
  await page.getByRole('button', { name: '3 hooks wait for you' }).click()
  const card = page.getByRole('region', { name: 'Approval of UserPromptSubmit' })
  await picture(window, 'hooks-01-waiting')
  await expectAccessible(page)
  await card.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByRole('button', { name: '2 hooks wait for you' })).toBeVisible()

  await page.keyboard.press('Control+1')
  await page.getByRole('textbox', { name: /^Message/ }).fill('Hello')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: '2 hooks wait for you' }).click()
  const row = page.getByRole('row').filter({ hasText: 'UserPromptSubmit' })
  await expect(row).toContainText('added text')
  await row.getByRole('button', { name: /^Details/ }).press('Enter')
  await expect(page.getByText('Ticket 7').first()).toBeVisible()
  await page.getByRole('button', { name: 'Test with a sample' }).click()
  await expect(page.getByText(/^Test: /)).toBeVisible()
  await picture(window, 'hooks-02-ran')
  await expectAccessible(page)

  await writeFile(join(folder, '.claude/settings.json'), settings(10))
  await page.getByRole('button', { name: 'Permissions' }).click()
  await page.getByRole('button', { name: /^Hooks/ }).click()
  await expect(card.getByText('A hook is not the one you approved')).toBeVisible()
  await picture(window, 'hooks-03-changed')
  expect(window.errors).toEqual([])
})
