/** Commands in the real sandbox, in the real window. */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { eventually, expectAccessible, machineOfEachTest, picture, send } from './testing/troupe-window.ts'

const SCENARIO = (outside: string) => `
steps:
  - turn: 1
    reply:
      - text: I run the tests first.
      - tool: Bash
        input: { command: "node -e \\"require('fs').writeFileSync('report.txt', '3 passed')\\" && cat report.txt", description: Test }
  - turn: 2
    reply:
      - tool: Bash
        input: { command: "node -e \\"require('fs').writeFileSync('${outside}', 'x')\\"", description: Publish, outside_sandbox: true }
  - reply: "Done: {{results}}"
`

const machine = machineOfEachTest()
let base = ''
test.beforeEach(async () => {
  // The sandbox has its own devices, so memory folders below /dev are not in it.
  base = await realpath(await mkdtemp('/var/tmp/troupe-e2e-sandbox-'))
})
test.afterEach(() => rm(base, { recursive: true, force: true }))

test('a command runs in the sandbox without a question, and one outside is asked about', async () => {
  // biome-ignore lint/suspicious/noSkippedTests: these programs can be missing
  test.skip(!existsSync('/usr/bin/bwrap') || !existsSync('/usr/bin/socat'), 'needs bubblewrap and socat')
  const outside = join(base, 'published.txt')
  const window = await machine.open({
    folder: base,
    scenario: SCENARIO(outside),
    settings: { access: { kind: 'rehearsal' }, trustedFolders: [base], sandbox: {} },
  })
  const { page } = window
  await send(page, 'Publish it')
  const request = page.locator('[data-request]').first()
  await expect(request).toContainText('outside the sandbox')
  expect(await readFile(join(base, 'report.txt'), 'utf8')).toBe('3 passed')
  await expect(page.getByRole('img', { name: 'in the sandbox' })).toHaveCount(1)
  await expectAccessible(page)
  await picture(window, '30-sandbox-request')
  expect(existsSync(outside)).toBe(false)
  await request.getByRole('button', { name: /Allow once/ }).click()
  await expect(page.getByRole('img', { name: 'outside the sandbox' })).toHaveCount(1)
  await eventually(() => existsSync(outside)).toBe(true)

  await page.keyboard.press('Control+,')
  await page.getByRole('button', { name: 'Sandbox', exact: true }).click()
  await expect(page.getByText('It runs on this machine.')).toBeVisible()
  const hosts = page.getByRole('textbox', { name: 'Allowed hosts' })
  await hosts.fill('not a host!')
  await hosts.press('Enter')
  await expect(hosts).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByText(/no host: write example\.com/).first()).toBeVisible()
  await hosts.fill('registry.example.org')
  await hosts.press('Enter')
  const kept = async () => JSON.parse(await readFile(join(machine.home, 'settings.json'), 'utf8'))
  await eventually(async () => (await kept()).sandbox?.network?.allowedDomains).toEqual([
    'registry.example.org',
  ])
  await expectAccessible(page)
  await picture(window, '31-sandbox-settings')
})
