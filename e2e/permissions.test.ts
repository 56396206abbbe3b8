/** Settings > Permissions in the real window, from the keyboard, with real files. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { expectAccessible, machineOfEachTest, picture } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const PROJECT = JSON.stringify(
  { permissions: { deny: ['Bash(git push:*)'], ask: ['Edit(docs/**)'], allow: ['Bash(make)'] } },
  null,
  2,
)
const LOCAL = '{\n  "permissions": { "allow": ["Bash(git push --dry-run:*)"] },\n  "mine":   1\n}\n'

test('a rule is added, tested, moved and removed from the keyboard, and the file keeps the rest', async () => {
  const folder = await machine.repository('shop', { '.claude/settings.json': PROJECT })
  const local = join(folder, '.claude/settings.local.json')
  await writeFile(local, LOCAL)
  const window = await machine.open({
    folder,
    settings: { trustedFolders: [folder], access: { kind: 'rehearsal' } },
  })
  const { page } = window
  await page.getByRole('button', { name: 'Settings' }).first().press('Enter')
  await page.getByRole('button', { name: /^Permissions/ }).press('Enter')
  const table = page.getByRole('table', { name: 'Rules' })
  await expect(
    table.getByRole('row', { name: /Bash\(git push --dry-run:\*\).*It never counts/ }),
  ).toBeVisible()
  await expect(table.getByRole('row', { name: /Bash\(make\).*can't loosen permissions/ })).toBeVisible()

  await page.getByRole('button', { name: 'Add a rule…' }).press('Enter')
  const form = page.getByRole('dialog', { name: 'Add a rule' })
  await form.getByRole('textbox', { name: 'Rule' }).focus()
  await page.keyboard.type('Bash(npm run')
  await page.keyboard.press('Enter')
  await expect(form.getByText(/brackets .* are empty or not balanced/)).toBeVisible()
  await page.keyboard.type(':*)')
  await form.getByRole('radio', { name: 'All my folders' }).press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(form.getByText('.claude/settings.local.json')).toBeVisible()
  await picture(window, 'permissions-01-form')
  await form.getByRole('button', { name: 'Add' }).press('Enter')
  await expect(table.getByRole('row', { name: /Bash\(npm run:\*\)/ })).toBeVisible()
  expect(await readFile(local, 'utf8')).toBe(LOCAL.replace('run:*)"]', 'run:*)", "Bash(npm run:*)"]'))

  const call = page.getByRole('textbox', { name: 'Call to test' })
  await call.fill('npm run build && git push origin main')
  await call.press('Enter')
  const parts = page.getByRole('list', { name: 'Parts of the command' }).getByRole('listitem')
  await expect(parts.nth(0)).toContainText('allowed')
  await expect(parts.nth(1)).toContainText(/denied.*Bash\(git push:\*\) in \.claude\/settings\.json:4/)
  await expect(page.getByText('because of part 2.')).toBeVisible()
  await picture(window, 'permissions-02-test')
  await expectAccessible(page)

  // Another program changes the file while the page shows the earlier one.
  const other = LOCAL.replace('["Bash(git push --dry-run:*)"]', '[]')
  await writeFile(local, other)
  await page.getByRole('button', { name: 'Remove Bash(npm run:*)' }).press('Enter')
  await expect(page.getByRole('alertdialog')).toContainText(/is no longer in "allow"/)
  await expect(table.getByRole('row', { name: /Bash\(npm run:\*\)/ })).toHaveCount(0)
  expect(await readFile(local, 'utf8')).toBe(other)

  await writeFile(local, '{ "permissions": ')
  await page.getByRole('button', { name: 'Add a rule…' }).press('Enter')
  await form.getByRole('textbox', { name: 'Rule' }).fill('Bash(ls)')
  await form.getByRole('radio', { name: 'Only this folder' }).click()
  await form.getByRole('button', { name: 'Add' }).press('Enter')
  await expect(form.getByText(/is unchanged\. It is not valid JSON/)).toBeVisible()
  expect(await readFile(local, 'utf8')).toBe('{ "permissions": ')
  expect(window.errors).toEqual([])
})
