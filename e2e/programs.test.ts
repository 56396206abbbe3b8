/** A program that is on the user's machine, from the first question to its answer and the settings, without a key. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { expectAccessible, Machine, picture } from './testing/troupe-window.ts'

const EXAMPLE = join(
  import.meta.dirname,
  '../src/main/features/external-agents/backing/testing/example-agent.ts',
)

let machine: Machine
test.beforeEach(async () => {
  machine = await Machine.create()
})
test.afterEach(() => machine.dispose())

/** A program of this name in a folder where programs usually are. */
async function install(name: string): Promise<void> {
  const bin = join(machine.base, '.local', 'bin')
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${EXAMPLE}' works\n`)
  await chmod(join(bin, name), 0o755)
}

test('a program that is here leads the first conversation, and Settings show it', async () => {
  const folder = await machine.repository('shop', { 'readme.txt': 'A shop.\n' })
  await install('opencode')
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
    .getByRole('button', { name: 'External agents', exact: true })
    .click()
  await expect(page.getByRole('button', { name: 'Main agent: opencode' })).toBeVisible()
  await page.getByLabel('Variable', { exact: true }).fill('GEMINI_API_KEY')
  await picture(window, 'programs-01-settings')
  await expectAccessible(page)
})
