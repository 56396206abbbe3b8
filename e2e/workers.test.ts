/** Team members in worker processes, in the real window: a worker survives the window that started it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { composer, expectAccessible, machineOfEachTest, picture } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - agent: /You are the tester/
    turn: 1
    reply:
      - text: I wait for the build.
      - tool: Bash
        input: { command: "while [ ! -f built ]; do sleep 0.1; done; echo found", description: Wait for the build }
  - agent: /You are the tester/
    reply: All tests pass.
  - agent: /main agent/
    when: begin
    reply:
      - tool: TeamCreate
        input:
          name: crew
          members:
            - { name: tester, agent: general-purpose, prompt: You are the tester., backing: pane }
  - agent: /main agent/
    reply: The crew works.
`

test('a worker goes on without the window, and the next window shows it live', async () => {
  const folder = await machine.repository('shop', { 'src/charge.js': 'module.exports = 1\n' })
  const settings = { trustedFolders: [folder], bypassFolders: [folder], permissionMode: 'bypassPermissions' }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  await composer(window.page).fill('begin')
  await composer(window.page).press('Enter')
  await expect(window.page.getByText('I wait for the build.').first()).toBeVisible({ timeout: 60_000 })
  await picture(window, 'workers-01-panel')
  await expectAccessible(window.page)

  // The event "close" waits for all processes that have the window's output: the worker must not be one of them.
  const exited = new Promise((resolve) => window.app.process().once('close', resolve))
  window.app.process().kill('SIGKILL')
  await exited
  machine.forget()
  const again = await machine.open({ folder, scenario: SCENARIO, settings })
  // A window that was killed may not have stored which conversation it showed.
  await again.page.getByRole('listitem').getByRole('button', { name: /begin/ }).first().click()
  await expect(again.page.getByText('I wait for the build.').first()).toBeVisible({ timeout: 60_000 })
  await picture(again, 'workers-02-again')
  await writeFile(join(folder, 'built'), '')
  await expect(again.page.getByText('All tests pass.').first()).toBeVisible({ timeout: 60_000 })
  await expect(again.page.getByText(/Interrupted/)).toHaveCount(0)
  await picture(again, 'workers-03-done')
  expect([...window.errors, ...again.errors]).toEqual([])
})
