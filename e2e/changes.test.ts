/** What agents changed, in the real window: one agent's changes are undone, another's stay, and the redo brings them back. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { expectAccessible, Machine, picture, send } from './testing/troupe-window.ts'

let machine: Machine
test.beforeEach(async () => {
  machine = await Machine.create()
})
test.afterEach(() => machine.dispose())

const SCENARIO = `
steps:
  - when: begin
    reply:
      - tool: Agent
        input: { description: Write keys, prompt: "Make the key file.", subagent_type: general-purpose }
      - tool: Write
        input: { file_path: notes.md, content: "one\\ntwo\\n" }
  - when: Make the key file
    reply:
      - tool: Read
        input: { file_path: src/charge.js }
  - when: module.exports
    reply:
      - tool: Edit
        input: { file_path: src/charge.js, old_string: "= 1", new_string: "= 2\\nmodule.exports.key = 3" }
      - tool: Bash
        input: { command: "echo hello > made.txt && rm -f old.txt", description: makes a file }
  - reply: Done.
`

test('the changes of one agent are undone and redone; those of another stay', async () => {
  const folder = await machine.repository('shop', {
    'src/charge.js': 'module.exports = 1\n',
    'old.txt': 'x\n',
  })
  const read = (path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : null
  const files = () => ['src/charge.js', 'old.txt', 'made.txt', 'notes.md'].map(read)
  const settings = {
    trustedFolders: [folder],
    bypassFolders: [folder],
    permissionMode: 'bypassPermissions',
    theme: 'dark',
  }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  const { page } = window
  await send(page, 'begin')
  await expect(
    page.getByRole('radio', { name: 'Changes 4' }).or(page.getByText('Changes 4')).first(),
  ).toBeVisible()
  const changed = files()
  expect(changed).toEqual(['module.exports = 2\nmodule.exports.key = 3\n', null, 'hello\n', 'one\ntwo\n'])

  await page.keyboard.press('Control+Shift+C')
  await page
    .getByRole('button', { name: /charge\.js/ })
    .first()
    .click()
  await expect(page.getByRole('region', { name: /^Changes of .*charge\.js/ })).toContainText(
    'module.exports.key = 3',
  )
  await expectAccessible(page)
  await page.getByRole('button', { name: /^Undo what general-purpose changed/ }).click()
  const preview = page.getByRole('region', { name: /^Undo what general-purpose changed/ })
  await expect(preview.getByText('is deleted')).toBeVisible()
  await picture(window, 'changes-undo')
  await preview.getByRole('button', { name: /^Undo:/ }).click()
  await expect.poll(files).toEqual(['module.exports = 1\n', 'x\n', null, 'one\ntwo\n'])

  await page.getByRole('button', { name: 'Redo…' }).click()
  await page.getByRole('button', { name: /^Redo:/ }).click()
  await expect.poll(files).toEqual(changed)
})
