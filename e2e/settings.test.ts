/** The settings in the real window, from the keyboard, with the real settings file. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { expectAccessible, machineOfEachTest, picture } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

async function openSettings(settings: object = {}) {
  const folder = await machine.repository('shop', { 'README.md': '# Shop' })
  const window = await machine.open({
    folder,
    settings: { trustedFolders: [folder], access: { kind: 'rehearsal' }, ...settings },
  })
  const { page } = window
  await page.getByRole('button', { name: 'Settings', exact: true }).first().press('Enter')
  await expect(page.getByRole('navigation', { name: 'Settings' })).toBeVisible()
  return { ...window, folder, pages: page.getByRole('navigation', { name: 'Settings' }) }
}

const PAGES = [
  'Your setup',
  'Insight',
  'General',
  'Keys',
  'Access and models',
  'Limits',
  'Coordination',
  'Permissions',
  'Sandbox',
  'MCP servers',
  'Hooks',
  'Plugins',
  'External agents',
  'Workers',
  'Storage',
]

test('every page has the frame and is accessible', async () => {
  const window = await openSettings()
  const { page, pages } = window
  await pages.getByRole('button', { name: 'Your setup' }).focus()
  for (const title of PAGES) {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('main', { name: title })).toBeVisible()
    await expectAccessible(page)
    await picture(window, `settings-${title.toLowerCase().replaceAll(' ', '-')}`)
    await pages.getByRole('button', { name: new RegExp(`^${title}`) }).focus()
    await page.keyboard.press('ArrowDown')
  }
  expect(window.errors).toEqual([])
})

test('a setting is found, changed and reset from the keyboard, and the file keeps the rest', async () => {
  const window = await openSettings({ mine: 1 })
  const { page } = window
  const file = join(machine.home, 'settings.json')
  await page.keyboard.press('/')
  await page.keyboard.type('agents at once')
  const row = page.getByRole('group', { name: 'Subagents at once' })
  await expect(row).toContainText('default')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('7')
  await page.keyboard.press('Enter')
  const link = row.getByRole('button', { name: /^settings\.json:\d+$/ })
  await expect(link).toBeVisible()
  const text = await readFile(file, 'utf8')
  const line = Number((await link.textContent())?.split(':')[1])
  expect(text.split('\n')[line - 1]).toContain('"maxParallelAgents": 7')
  await expectAccessible(page)
  await picture(window, 'settings-search')
  await row.getByRole('button', { name: 'Reset Subagents at once' }).press('Enter')
  await expect(row).toContainText('default')
  expect(JSON.parse(await readFile(file, 'utf8'))).not.toHaveProperty('maxParallelAgents')
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ mine: 1 })
  expect(window.errors).toEqual([])
})

test('keys are changed in their row, count at once in the window and the menu, and stay in the file', async () => {
  const window = await openSettings()
  const { app, page, pages } = window
  const file = join(machine.home, 'keybindings.json')
  const inMenu = (id: string) =>
    app.evaluate(({ Menu }, label) => {
      const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? []
      return items.find((item) => item.label === label)?.accelerator ?? null
    }, id)
  expect(await inMenu('Command palette')).toBe('CmdOrCtrl+K')
  await pages.getByRole('button', { name: 'Keys' }).press('Enter')
  await page.keyboard.press('/')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: /^Keys of Command palette/ }).press('Enter')
  await page.keyboard.press('ControlOrMeta+Alt+j')
  const link = page.getByRole('button', { name: /^keybindings\.json:\d+$/ })
  await expect(link).toHaveText('keybindings.json:2')
  expect(await readFile(file, 'utf8')).toBe('{\n  "palette": "Mod Alt J"\n}\n')
  await expect.poll(() => inMenu('Command palette')).toBe('CmdOrCtrl+Alt+J')
  await picture(window, 'settings-keys-changed')
  await page.getByRole('button', { name: 'Clear the search' }).press('Enter')
  await expect(page.getByRole('textbox', { name: 'Search keys' })).toBeFocused()
  await pages.getByRole('button', { name: 'Keys' }).focus()
  await page.keyboard.press('ControlOrMeta+Alt+j')
  await expect(page.getByRole('dialog', { name: 'Go to' })).toBeVisible()
  await page.keyboard.press('Escape')

  await writeFile(file, '{\n  "palette": "P"\n}\n')
  await expect(page.getByRole('main').getByRole('alert')).toContainText('keybindings.json:2: Use Ctrl')
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('dialog', { name: 'Go to' })).toBeVisible()
  expect(window.errors).toEqual([])
})

test('a newer version is found with its notes, and told in the status bar until Later', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const release: Record<string, Buffer> = {
    'troupe-9.0.0.tgz': Buffer.from('npm'),
    'troupe-9.0.0.md': Buffer.from('- **Faster.**'),
  }
  const sums = Object.entries(release)
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
    .join('')
  Object.assign(release, { SHA256SUMS: Buffer.from(sums) })
  Object.assign(release, { 'SHA256SUMS.sig': sign(null, Buffer.from(sums), privateKey) })
  const server = createServer(({ url = '' }, answer) => {
    const content = release[url.slice(1)]
    answer.writeHead(content === undefined ? 404 : 200).end(content)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  try {
    const window = await openSettings({
      updateUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      updateKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    })
    const { page } = window
    await page.keyboard.press('Control+k')
    await page.keyboard.type('check for updates')
    await page.keyboard.press('Enter')
    const notice = page.getByRole('status', { name: 'Update' })
    await expect(notice).toContainText('git pull && npm start')
    await notice.getByRole('button', { name: 'Troupe 9.0.0 is available' }).press('Enter')
    await expect(page.getByRole('region', { name: 'What is new in Troupe 9.0.0' })).toHaveText('• Faster.')
    await expectAccessible(page)
    await picture(window, 'settings-updates')
    release['SHA256SUMS.sig'] = Buffer.from('forged')
    await page.getByRole('button', { name: 'Check now' }).press('Enter')
    await expect(page.getByText('is not signed with the key of the setting updateKey')).toBeVisible()
    await expect(notice).toBeHidden()
    release['SHA256SUMS.sig'] = sign(null, Buffer.from(sums), privateKey)
    await page.getByRole('button', { name: 'Check now' }).press('Enter')
    await notice.getByRole('button', { name: 'Later' }).press('Enter')
    await expect(notice).toBeHidden()
    expect(window.errors).toEqual([])
  } finally {
    server.close()
  }
})
