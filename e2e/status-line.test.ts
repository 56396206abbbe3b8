/** The status line in the real window: set in the settings, run in the folder, updated during a conversation. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import {
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  send,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

test('the user’s command: tested, shown, kept up to date, changed on disk, and its failure shown', async () => {
  const folder = await machine.repository('shop', { 'README.md': '# Shop\n' })
  const window = await machine.open({
    folder,
    scenario: 'steps:\n  - reply: Tea is ready.\n',
    settings: { trustedFolders: [folder] },
  })
  const { page } = window
  const line = page.locator('footer [data-status-line]')
  const kept = async () => JSON.parse(await readFile(join(machine.home, 'settings.json'), 'utf8'))
  const write = async (command: string) => {
    const file = join(machine.home, 'settings.json')
    await writeFile(file, JSON.stringify({ ...(await kept()), statusLine: { command } }))
  }

  await composer(page).waitFor()
  await expect(line).toHaveCount(0)

  await page.keyboard.press('Control+,')
  const field = page.getByRole('textbox', { name: 'Status line command' })
  const command = `printf '\\033[32m%s\\033[0m ' "$(basename "$PWD")"; tee facts.json | grep -o '"tokens":[0-9]*'`
  await field.fill(command)
  await page.getByRole('button', { name: 'Test', exact: true }).last().click()
  await expect(page.getByText(/exit code 0 · \d+ ms/)).toBeVisible()
  await expect(page.locator('pre').getByText('shop "tokens":0')).toBeVisible()
  await expectAccessible(page)
  expect((await kept()).statusLine).toBeUndefined()
  await page.locator('pre').scrollIntoViewIfNeeded()
  await picture(window, '20-status-line-settings')
  await field.press('Enter')
  await expect(line).toHaveText('shop "tokens":0')
  expect(await kept()).toMatchObject({ statusLine: { command } })

  // During a conversation, the command receives new figures.
  await page.keyboard.press('Control+1')
  await send(page, 'tea please')
  await expect(page.getByText('Tea is ready.').first()).toBeVisible()
  await expect(line).toHaveText(/shop "tokens":[1-9]\d*/)
  const facts = async () => JSON.parse(await readFile(join(folder, 'facts.json'), 'utf8').catch(() => 'null'))
  await eventually(async () => (await facts())?.conversation?.title).toContain('tea')
  expect(await facts()).toMatchObject({ folder, branch: 'main', agents: { running: 0, waiting: 0 } })
  await picture(window, '21-status-line')
  await expectAccessible(page)

  // The command changes on disk; its environment has no key.
  await write('env | grep -c -i -E "anthropic|troupe_"; true')
  await expect(line).toHaveText('0')
  await write('echo "no such ingredient" >&2; exit 3')
  await expect(line).toHaveAccessibleName(/exit code 3: “no such ingredient”/)
  await line.hover()
  await expect(page.getByText(/exit code 3: “no such ingredient”/)).toBeVisible()
  await picture(window, '22-status-line-failed')
  await page.mouse.move(400, 300)
  await expect(page.getByText(/exit code 3: “no such ingredient”/)).toHaveCount(0)
  await expectAccessible(page)
  await write('sleep 60')
  await expect(line).toHaveAccessibleName(/longer than 1 second/)
  await write('pwd')
  await expect(line).toHaveText(folder)
  await write('')
  await expect(line).toHaveCount(0)
  expect(window.errors).toEqual([])
})

test('an untrusted folder: nothing runs there, and the window says so', async () => {
  const folder = await machine.repository('strange', { 'README.md': '# Strange\n' })
  const window = await machine.open({
    folder,
    settings: { access: { kind: 'rehearsal' }, statusLine: { command: 'touch ran; echo hello' } },
  })
  const line = window.page.locator('footer [data-status-line]')
  await expect(line).toHaveAccessibleName(/does not run here, because the folder is not trusted/)
  await expect(readFile(join(folder, 'ran'))).rejects.toThrow('ENOENT')
  await window.page.getByRole('button', { name: /I trust this folder/ }).click()
  await expect(line).toHaveText('hello')
  await readFile(join(folder, 'ran'))
})
