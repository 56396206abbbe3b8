/** A coordinator in the real window: four phases, worktrees, merges that the user allows, and a verification. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { composer, expectAccessible, machineOfEachTest, picture, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const FILES = {
  'src/charge.js': 'module.exports.charge = (order) => ({ order, key: Math.random() })\n',
  'test.js': "console.log('1 passing')\n",
}

test('a coordinator goes through four phases', async () => {
  const folder = await machine.repository('shop', FILES)
  const window = await machine.open({
    folder,
    scenario: await readFile(join(import.meta.dirname, 'fixtures', 'coordinator.yaml'), 'utf8'),
    settings: { trustedFolders: [folder], permissionMode: 'acceptEdits', theme: 'dark' },
  })
  const { page } = window
  await composer(page).waitFor()
  const button = page.getByRole('button', { name: 'Coordinator mode' })
  await composer(page).press('Control+Shift+O')
  await expect(button).toHaveAttribute('aria-pressed', 'true')
  await picture(window, 'coordinator-0-new')
  await send(page, 'Make the charge key once for each order.')

  const current = page.getByRole('region', { name: 'Phases' }).locator('[aria-current="step"]')
  const allow = page.getByRole('button', { name: /^Allow once/ }).first()
  await allow.waitFor()
  await expect(current).toContainText('Implementation')
  await expect(current).toContainText('2 reports')
  await expectAccessible(page)
  await picture(window, 'coordinator-1-merge')
  await expect(allow).toBeEnabled()
  await allow.press('Enter')
  await expect(page.getByRole('group', { name: /wants to merge/ })).toContainText('troupe/cover-the-key')
  await expect(allow).toBeEnabled()
  await allow.press('Enter')

  await expect(current).toContainText('Verification')
  // While the pointer is over the stage, the verifier stays a tile.
  await page.mouse.move(2, 2)
  await allow.waitFor()
  await page.getByRole('button', { name: 'Plan' }).press('Enter')
  await expect(page.getByRole('list', { name: 'The phases so far' }).getByRole('listitem')).toHaveCount(4)
  await expectAccessible(page)
  await picture(window, 'coordinator-2-verification')
  await page.getByRole('button', { name: 'Plan' }).press('Enter')
  await expect(allow).toBeEnabled()
  await allow.press('Enter')
  await expect(page.getByText('The verification ran the tests: they pass.')).toBeVisible()
  await expect(current).toContainText('passed · 1 report')
  await picture(window, 'coordinator-3-done')
  expect(await readFile(join(folder, 'src', 'keys.js'), 'utf8')).toContain('new Map()')

  // The conversation has begun: the button offers a branch.
  await button.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Continue without coordinator mode?' })).toBeVisible()
  await expectAccessible(page)
  await picture(window, 'coordinator-4-offer')
  await page.getByRole('button', { name: 'Branch', exact: true }).press('Enter')
  await expect(page.getByRole('region', { name: 'Phases' })).toHaveCount(0)
  await expect(button).toHaveAttribute('aria-pressed', 'false')
  expect(window.errors).toEqual([])
})
