/** What agents changed, in the real window: one agent's changes are undone, another's stay, and the redo brings them back. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { eventually, expectAccessible, machineOfEachTest, picture, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - when: begin
    reply:
      - tool: Agent
        input: { description: Write keys, prompt: "Make the key file.", subagent_type: general-purpose }
      - tool: Agent
        input: { description: Write docs, prompt: "Write the docs.", subagent_type: general-purpose }
      - tool: Agent
        input: { description: Add column, prompt: "Add the column.", subagent_type: general-purpose }
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
  - when: Write the docs
    reply:
      - tool: Write
        input: { file_path: docs.md, content: "# Keys\\n" }
  - when: Add the column
    reply:
      - tool: Write
        input: { file_path: column.sql, content: "alter table charge add key text;\\n" }
  - reply: Done.
`

test('from the keyboard, the changes of one of three agents are undone and redone; those of the others stay', async () => {
  const folder = await machine.repository('shop', {
    'src/charge.js': 'module.exports = 1\n',
    'old.txt': 'x\n',
  })
  const read = (path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : null
  const files = () => ['src/charge.js', 'old.txt', 'made.txt', 'notes.md', 'docs.md', 'column.sql'].map(read)
  const others = ['one\ntwo\n', '# Keys\n', 'alter table charge add key text;\n']
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
    page.getByRole('radio', { name: 'Changes 6' }).or(page.getByText('Changes 6')).first(),
  ).toBeVisible()
  const changed = files()
  expect(changed).toEqual(['module.exports = 2\nmodule.exports.key = 3\n', null, 'hello\n', ...others])

  await page.keyboard.press('Control+Shift+C')
  const selected = page.locator('[data-file-row][aria-current="true"]')
  await expect(selected).toBeFocused()
  for (let row = 0; row < 6 && !(await selected.textContent())?.includes('charge.js'); row++) {
    const before = await selected.getAttribute('data-file-row')
    await page.keyboard.press(row % 2 === 0 ? 'ArrowDown' : 'j')
    await expect(selected).not.toHaveAttribute('data-file-row', before ?? '')
  }
  await expect(page.getByRole('region', { name: /^Changes of .*charge\.js/ })).toContainText(
    'module.exports.key = 3',
  )
  await expectAccessible(page)
  await page.keyboard.press('Shift+U')
  const preview = page.getByRole('region', { name: 'Undo what “Write keys” changed' })
  await expect(preview.getByText('is deleted')).toBeVisible()
  await picture(window, 'changes-undo')
  await preview.getByRole('button', { name: /^Undo:/ }).press('Enter')
  await eventually(files).toEqual(['module.exports = 1\n', 'x\n', null, ...others])

  await page.getByRole('button', { name: 'Redo…' }).press('Enter')
  await page.getByRole('button', { name: /^Redo:/ }).press('Enter')
  await eventually(files).toEqual(changed)
})
