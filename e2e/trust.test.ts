/** Trust in the real window: the question, an agent that got more rights, and the end of trust. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import {
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const agent = (tools: string) =>
  `---\nname: reviewer\ndescription: Reviews changes.\ntools: ${tools}\n---\nReview the changes.\n`

test('a folder is trusted from the keyboard, an agent with more rights is approved, and the trust is revoked', async () => {
  const folder = await machine.repository('shop', {
    'CLAUDE.md': 'Be brief.\n',
    '.claude/agents/reviewer.md': agent('Read'),
    '.mcp.json': JSON.stringify({ mcpServers: { notes: { command: 'true' } } }),
  })
  const window = await machine.open({ folder, settings: { access: { kind: 'rehearsal' } } })
  const { page } = window
  await expect(page.getByRole('heading', { name: 'Do you trust this folder?' })).toBeVisible()
  const brings = page.getByRole('list', { name: 'What the folder brings' })
  await expect(brings).toContainText('1 agent')
  await expect(brings).toContainText('1 MCP server')
  await expect(brings).toContainText('CLAUDE.md')
  await expectAccessible(page)
  await picture(window, 'trust-01-question')
  // The title has the focus, so that no key meant for something else answers.
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: /^I trust this folder/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(composer(page)).toBeVisible()
  const settingsFile = join(machine.home, 'settings.json')
  const trusted = async () =>
    (JSON.parse(await readFile(settingsFile, 'utf8')) as { trustedFolders: string[] }).trustedFolders
  expect(await trusted()).toEqual([folder])

  await page.keyboard.press('Control+2')
  const row = page.getByRole('list', { name: 'Agents' }).getByRole('button', { name: /^reviewer/ })
  await expect(row).not.toContainText('approve')
  await writeFile(join(folder, '.claude/agents/reviewer.md'), agent('Read, Bash'))
  await page.getByRole('button', { name: '1 agent waits for you' }).click()
  await row.click()
  const card = page.getByRole('region', { name: 'Approval of reviewer' })
  await expect(card).toContainText('more tools: Bash')
  await expect(card.getByRole('region', { name: 'Changes of reviewer' })).toContainText('+tools: Read, Bash')
  await expectAccessible(page)
  await picture(window, 'trust-02-more-rights')
  await card.getByRole('button', { name: 'Approve this agent' }).press('Enter')
  await expect(card).toBeHidden()
  await expect(row).not.toContainText('approve')
  await expect(page.getByRole('button', { name: /waits? for you/ }).filter({ hasText: 'agent' })).toBeHidden()

  await page.keyboard.press('Control+,')
  await page.getByRole('button', { name: /^Permissions/ }).press('Enter')
  await page.getByRole('button', { name: `Revoke ${folder}` }).click()
  await eventually(trusted).toEqual([])
  await expect(page.getByRole('button', { name: 'Read only' })).toBeVisible()
  expect(window.errors).toEqual([])
})
