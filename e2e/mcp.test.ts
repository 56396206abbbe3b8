/** MCP servers in the real window, with a real server process. */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from '@playwright/test'
import { expectAccessible, machineOfEachTest, picture, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SERVER = resolve('src/main/features/mcp/testing/bad-server.mjs')
const configuration = (kind: string) =>
  JSON.stringify(
    {
      mcpServers: {
        helper: { command: 'node', args: [SERVER, kind], env: { API_KEY: `$\{API_KEY:-none}` } },
        semgrep: { command: 'node', args: [SERVER, 'dies'] },
      },
    },
    null,
    2,
  )

test('a changed server is approved in the window and starts', async () => {
  const folder = await machine.repository('shop', { '.mcp.json': configuration('plain') })
  const window = await machine.open({
    folder,
    settings: { trustedFolders: [folder], access: { kind: 'rehearsal' } },
  })
  const { page } = window
  await page.getByRole('button', { name: '2 servers wait for you' }).click()
  await expect(page.getByText('This server is new')).toBeVisible()
  await page.getByRole('button', { name: 'Approve and start' }).click()
  const list = page.getByRole('complementary', { name: 'Servers' })
  await expect(list.getByRole('button', { name: /^helper.*connected/ })).toBeVisible()
  await list.getByRole('button', { name: /^helper/ }).click()
  await expect(page.getByRole('button', { name: 'Main agent has echo' })).toBeVisible()
  await page.getByRole('button', { name: 'Main agent has echo' }).focus()
  await page.keyboard.press('ArrowRight')
  await picture(window, 'mcp-02-connected')
  await page.keyboard.press('Escape')
  await expectAccessible(page)

  await list.getByRole('button', { name: /^semgrep/ }).click()
  await page.getByRole('button', { name: 'Approve and start' }).click()
  await expect(page.getByRole('button', { name: 'semgrep failed' })).toBeVisible()

  await writeFile(join(folder, '.mcp.json'), configuration('changes'))
  await page.getByRole('button', { name: 'Permissions' }).click()
  await page.getByRole('button', { name: /^MCP servers/ }).click()
  await list.getByRole('button', { name: /^helper.*changed/ }).click()
  await expect(page.getByText('Its definition is not the one you approved')).toBeVisible()
  await picture(window, 'mcp-04-changed')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Approve and start' }).click()
  await expect(page.getByRole('button', { name: 'Main agent has change' })).toBeVisible()
  expect(window.errors).toEqual([])
})

const ASKED = `
steps:
  - when: begin
    reply:
      - tool: mcp__helper__ask
        input: {}
  - when: Oslo
    reply: The city arrived.
  - reply: No city arrived.
`

test('a server is approved and its question is answered, from the keyboard', async () => {
  const mcpServers = { helper: { command: 'node', args: [SERVER, 'asks'] } }
  const folder = await machine.repository('shop', { '.mcp.json': JSON.stringify({ mcpServers }) })
  const settings = { trustedFolders: [folder], bypassFolders: [folder], permissionMode: 'bypassPermissions' }
  const window = await machine.open({ folder, scenario: ASKED, settings })
  const { page } = window
  await page.getByRole('button', { name: '1 server waits for you' }).press('Enter')
  await page.getByRole('button', { name: 'Approve and start' }).press('Enter')
  await expect(page.getByRole('button', { name: 'Main agent has ask' })).toBeVisible()
  await page.keyboard.press('Control+1')
  await send(page, 'begin')
  const city = page.getByLabel('city (required)').first()
  await city.press('Enter')
  await expect(page.getByText('Required.').first()).toBeVisible()
  await picture(window, 'mcp-05-question')
  await expectAccessible(page)
  await city.fill('Oslo')
  await city.press('Enter')
  await expect(page.getByText('The city arrived.').first()).toBeVisible()
  expect(window.errors).toEqual([])
})
