/** The composer in the real window: undo, long pasted text, and drafts that outlive a kill of the program. */
import { expect, test } from '@playwright/test'
import type { TroupeBridge } from '../src/shared/ipc/ipc-contract.ts'
import {
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  showPanels,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - agent: /main agent/
    when: begin
    reply:
      - text: One agent looks.
      - tool: Agent
        input: { description: Look, prompt: Look. }
  - agent: /main agent/
    reply: Done.
  - agent: Look
    reply: Seen.
`

test('undo covers a completion; a long paste is a chip; all drafts come back after a kill of the program', async () => {
  const folder = await machine.repository('shop', { 'src/charge.js': 'module.exports = 1\n' })
  const settings = { trustedFolders: [folder], bypassFolders: [folder], permissionMode: 'bypassPermissions' }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  const { app, page } = window
  await composer(page).fill('begin')
  await composer(page).press('Enter')
  await expect(page.getByText('Done.').first()).toBeVisible()

  await composer(page).pressSequentially('look at #char')
  await page.getByRole('option', { name: 'src/charge.js' }).waitFor()
  await page.keyboard.press('Enter')
  await expect(composer(page)).toHaveValue('look at src/charge.js ')
  await page.keyboard.press('Control+z')
  await expect(composer(page)).toHaveValue('look at #char')
  await page.keyboard.press('Control+Shift+z')
  await expect(composer(page)).toHaveValue('look at src/charge.js ')

  await app.evaluate(({ clipboard }) => clipboard.writeText('one line of a log\n'.repeat(40_000)))
  await page.keyboard.press('Control+v')
  const chip = page.getByRole('button', { name: 'Pasted text · 40,000 lines' })
  await expect(chip).toBeVisible()
  await picture(window, 'composer-01-chip')
  await expectAccessible(page)
  await chip.press('Enter')
  await expect(page.getByRole('dialog', { name: /^Pasted text/ })).toBeVisible()
  await picture(window, 'composer-02-pasted')
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await showPanels(page)
  const line = page.getByRole('textbox', { name: /^Message (?!$)/ }).last()
  await line.fill('and this to the agent')
  const stored = () =>
    page.evaluate(async () => {
      const { troupe } = window as unknown as { readonly troupe: TroupeBridge }
      const answer = await troupe.command('draft.list', {})
      return answer.ok ? answer.value.map(({ text }) => text).sort() : []
    })
  await eventually(stored).toEqual(['and this to the agent', 'look at src/charge.js '])

  const closed = app.waitForEvent('close')
  app.process().kill('SIGKILL')
  await closed
  machine.forget()
  const again = await machine.open({ folder, scenario: SCENARIO, settings })
  await expect(composer(again.page)).toHaveValue('look at src/charge.js ')
  await expect(again.page.getByRole('button', { name: 'Pasted text · 40,000 lines' })).toBeVisible()
  await showPanels(again.page)
  await expect(again.page.getByRole('textbox', { name: /^Message (?!$)/ }).last()).toHaveValue(
    'and this to the agent',
  )
  expect([...window.errors, ...again.errors]).toEqual([])
})
