/** Settings › Your setup in the real window, from the keyboard: an import is looked at, written and taken back. */
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { expectAccessible, machineOfEachTest, picture } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

test('rules of another program are shown, imported and taken back', async () => {
  const folder = await machine.repository('project', {
    'CLAUDE.md': '# Rules\n\nBe kind.\n',
    '.claude/settings.json': '{ "permissions": { "allow": ["Bash(ls)"] }, "spinner": true }\n',
    '.claude/agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews\n---\nReview.\n',
    '.cursor/rules/api.mdc': '---\nglobs: src/api/**\n---\nAnswer in JSON.\n',
    '.cursor/rules/deploy.mdc': '---\ndescription: Deploys\nalwaysApply: false\n---\nDeploy.\n',
    '.github/copilot-instructions.md': 'Write tests first.\n',
  })
  const window = await machine.open({
    folder,
    settings: { access: { kind: 'rehearsal' }, trustedFolders: [folder] },
  })
  const { page } = window
  await page.getByRole('button', { name: 'Settings' }).first().press('Enter')
  await page.getByRole('button', { name: /^Your setup/ }).press('Enter')
  const all = page.getByRole('button', { name: 'Import 2 rules…' })
  await expect(all).toBeVisible()
  await expectAccessible(page)
  await picture(window, '35-setup')

  await all.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Import 2 rules' })
  await expect(dialog.getByText('Answer in JSON.')).toBeVisible()
  await expect(dialog.getByText(/only on request/)).toBeVisible()
  await expectAccessible(page)
  await picture(window, '36-setup-import')
  await page.keyboard.press('Escape')
  const rule = join(folder, '.claude', 'rules', 'cursor', 'api.md')
  await expect(access(rule)).rejects.toThrow('ENOENT')

  await page.getByRole('button', { name: /^Import 1 rule of \.cursor\/rules/ }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Import' }).press('Enter')
  const undo = page.getByRole('button', { name: /^Undo the import of \.cursor\/rules/ })
  await expect(undo).toBeVisible()
  expect(await readFile(rule, 'utf8')).toBe('---\npaths:\n  - "src/api/**"\n---\n\nAnswer in JSON.\n')
  await undo.press('Enter')
  await expect(page.getByRole('button', { name: 'Import 2 rules…' })).toBeVisible()
  await expect(access(rule)).rejects.toThrow('ENOENT')
})
