/** A project's command with arguments and a shell command, in the real window. */
import { expect, test } from '@playwright/test'
import { expectAccessible, machineOfEachTest, picture } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - when: "Issue 12 of branch trunk, priority high"
    reply: Fixed issue 12.
  - reply: The text of the command did not arrive.
`

const FIX = `---
description: Fixes an issue of the tracker
argument-hint: "[issue] [priority]"
---
Issue $1 of branch trunk, priority $2.
!\`echo made > made.txt; cat made.txt\`
`

test('a project command is completed, allowed once, sent with its arguments, and shown as typed', async () => {
  const folder = await machine.repository('shop', {
    '.claude/commands/ops/fix.md': FIX,
    '.claude/commands/broken.md': '---\n- a\n---\nx',
  })
  const settings = { trustedFolders: [folder], theme: 'dark' }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  const { page } = window
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.click()
  await page.keyboard.type('/')
  await expect(page.getByRole('option', { name: /ops:fix/ })).toBeAttached()
  await picture(window, 'commands-list')
  await page.keyboard.type('fix')
  await expect(page.getByRole('option')).toHaveText([/\/ops:fix.*Fixes an issue.*project/])
  await page.keyboard.press('Enter')
  await expect(page.getByText('/ops:fix [issue] [priority]')).toBeVisible()
  await page.keyboard.type('12 high')
  await page.keyboard.press('Enter')
  await expect(page.getByText('echo made > made.txt')).toBeVisible()
  await expectAccessible(page)
  await picture(window, 'commands-permission')
  await page.getByRole('button', { name: 'Allow once and send' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Fixed issue 12.').first()).toBeVisible()
  await expect(page.getByText('/ops:fix 12 high').last()).toBeVisible()
  await page.getByRole('button', { name: 'Show what was sent' }).click()
  await expect(page.getByText('<command-output command=').first()).toBeVisible()
  await expectAccessible(page)
  await picture(window, 'commands-sent')
})
