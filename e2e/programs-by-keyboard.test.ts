/**
 * What an impatient user tries with external agents, without a mouse, in a small window:
 * Enter twice on a program that is here; Escape at once in its menu; Enter on an empty message; a program that is not
 * there as main agent; a line from a shell as its command; several agents without git; all of it at 150 %.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { installProgram } from './testing/example-programs.ts'
import { withAnswer } from './testing/in-main.ts'
import {
  composer,
  expectAccessible,
  machineOfEachTest,
  picture,
  resize,
  type TroupeWindow,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const zoom = ({ app, page }: TroupeWindow, factor: number) =>
  withAnswer(async () => {
    const window = await app.browserWindow(page)
    await window.evaluate(({ webContents }, wanted) => webContents.setZoomFactor(wanted), factor)
  })

/** Whether the page is wider than the window, or a button of the dialog is outside of it. */
const outside = (page: Page) =>
  page.evaluate(() => {
    const isOutside = (box: DOMRect) => box.width > 0 && (box.right > innerWidth + 1 || box.left < -1)
    const buttons = [...document.querySelectorAll('[role=dialog] button')]
    return [
      ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
      ...buttons.filter((one) => isOutside(one.getBoundingClientRect())).map((one) => one.textContent),
    ]
  })

test('a user in a hurry without a mouse and without git', async () => {
  test.setTimeout(150_000)
  const folder = join(machine.base, 'no git here')
  await mkdir(folder)
  await installProgram(machine, 'opencode', 'works options')
  const window = await machine.open({
    folder,
    settings: { trustedFolders: [folder], theme: 'dark', access: { kind: 'none' } },
  })
  const { page } = window
  await resize(window, 1100, 700)

  await page.getByRole('button', { name: /Use the opencode you have/ }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  const picker = page.getByRole('button', { name: 'Main agent: opencode' })
  await picker.press('Enter')
  await page.keyboard.press('Escape')
  await expect(picker).toBeFocused()

  // Several agents need git: said at once, with everything kept.
  await composer(page).fill('/best Count the files')
  await composer(page).press('Enter')
  const best = page.getByRole('dialog', { name: 'Send to several agents' })
  await expect(best.getByRole('note')).toContainText('Run git init')
  await expectAccessible(page)
  await picture(window, 'hurry-1-no-git')
  await resize(window, 1100, 700)
  await zoom(window, 1.5)
  expect(await outside(page)).toEqual([])
  // The first Escape clears the task, and the second one closes: the task is not lost.
  await page.keyboard.press('Escape')
  await expect(best.getByRole('textbox', { name: 'Task' })).toHaveValue('')
  await page.keyboard.press('Escape')
  await expect(composer(page)).toHaveValue('Count the files')

  // A program that is not there, from a line with an operator of a shell.
  await page.keyboard.press('Control+K')
  await page.keyboard.type('external agents')
  await page.getByRole('option', { name: /External agents/ }).waitFor()
  await page.keyboard.press('Enter')
  const programs = page.getByRole('dialog', { name: 'External agents' })
  await expect(programs.getByRole('list', { name: 'Known external agents' })).toBeVisible()
  expect(await outside(page)).toEqual([])
  await zoom(window, 1)
  await programs.getByRole('button', { name: /Custom/ }).press('Enter')
  const create = page.getByRole('dialog', { name: 'New agent' })
  await create.getByRole('textbox', { name: 'Name' }).fill('nowhere')
  await page.keyboard.press('Enter')
  const command = page.getByRole('textbox', { name: 'Command', exact: true })
  await command.fill('no-such-program --acp | tee log')
  await expect(page.getByText(/No shell runs this line/)).toBeVisible()
  await command.fill('no-such-program --acp')
  await expectAccessible(page)
  await picture(window, 'hurry-2-editor')
  await page.keyboard.press('Control+s')
  await page.keyboard.press('Control+1')

  await page.getByRole('button', { name: /^Main agent: / }).press('Enter')
  await page.getByRole('menuitemradio', { name: /^nowhere/ }).press('Enter')
  await composer(page).fill('   ')
  await composer(page).press('Enter')
  await composer(page).fill('Begin')
  await composer(page).press('Enter')
  await composer(page).press('Enter')
  await expect(page.getByText(/no-such-program.* was not found/).first()).toBeVisible()
  await picture(window, 'hurry-3-not-found')
})
