import { expect, test } from '@playwright/test'
import { installProgram } from './testing/example-programs.ts'
import { expectAccessible, machineOfEachTest, picture } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

test('a program that is here leads the first conversation, and Settings show it', async () => {
  const folder = await machine.repository('shop', { 'readme.txt': 'A shop.\n' })
  await installProgram(machine, 'opencode')
  const window = await machine.open({
    folder,
    settings: { trustedFolders: [folder], access: { kind: 'none' } },
  })
  const { page } = window
  await page.getByRole('button', { name: /Use the opencode you have/ }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('Look at the shop.')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/Prompt 1 in .*Look at the shop\./).first()).toBeVisible()

  await page.getByRole('button', { name: 'Settings', exact: true }).first().click()
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('button', { name: /^External agents/ })
    .click()
  await expect(page.getByRole('button', { name: 'Main agent: opencode' })).toBeVisible()
  await page.getByLabel('Variable', { exact: true }).fill('GEMINI_API_KEY')
  await picture(window, 'programs-01-settings')
  await expectAccessible(page)
})
