/** Conversations of another agent program in the real window, from the keyboard: asked about, listed, read, continued. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { claudeSession, textOfLines } from '../src/main/features/histories/testing/claude-lines.ts'
import { composer, expectAccessible, machineOfEachTest, picture } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

async function keep(folder: string): Promise<void> {
  const project = join(machine.base, '.claude/projects/-shop')
  const s = claudeSession('11111111-2222-4333-8444-555555555555', folder)
  const [gone, a] = [claudeSession('s-2', '/gone/shop'), claudeSession('agent', folder)]
  const hunk = {
    oldStart: 14,
    oldLines: 1,
    newStart: 14,
    newLines: 1,
    lines: ['-  round(line)', '+  round(total)'],
  }
  const chain = { isSidechain: true, agentId: 'x1' }
  const files = {
    '11111111-2222-4333-8444-555555555555.jsonl': textOfLines(
      s.user('The cart total is off by one cent. Find out why, and fix it.'),
      s.thinks('m1', 'Rounding, probably.'),
      s.says('m1', 'I let an agent find where cents are rounded.'),
      s.calls('t1', 'Task', {
        ...{ description: 'Find rounding', prompt: 'Where are cents rounded?', subagent_type: 'Explore' },
      }),
      s.result('t1', 'src/cart.ts:14 rounds each line.', {
        toolUseResult: { agentId: 'x1', status: 'completed' },
      }),
      s.calls('t2', 'Edit', { file_path: join(folder, 'src/cart.ts'), old_string: 'a', new_string: 'b' }),
      s.result('t2', 'Updated.', {
        toolUseResult: { filePath: join(folder, 'src/cart.ts'), structuredPatch: [hunk] },
      }),
      s.calls('t3', 'Bash', { command: 'npm test', description: 'Run the tests' }),
      s.result('t3', '12 tests passed'),
      '{"type":"new-kind"}',
      s.says('m4', 'The total is rounded once now, at the end. All 12 tests pass.'),
    ),
    '11111111-2222-4333-8444-555555555555/subagents/agent-x1.jsonl': textOfLines(
      a.user('Where are cents rounded?', chain),
      a.calls('t9', 'Grep', { pattern: 'round' }, chain),
      a.result('t9', 'src/cart.ts:14', chain),
      a.says('m9', 'src/cart.ts:14 rounds each line.', chain),
    ),
    's-2.jsonl': textOfLines(gone.user('Write a changelog'), gone.says('m1', 'Written.')),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(project, path, '..'), { recursive: true })
    await writeFile(join(project, path), text)
  }
}

test('a conversation of Claude Code is listed once the user agrees, read, and continued as a copy', async () => {
  const folder = await machine.repository('shop', { 'src/cart.ts': 'round(line)\n' })
  await keep(folder)
  const window = await machine.open({
    folder,
    settings: { access: { kind: 'rehearsal' }, trustedFolders: [folder] },
  })
  const { page } = window
  const others = page.getByRole('button', { name: 'Other agent programs' })
  await others.press('Enter')
  const question = page.getByRole('region', { name: 'Claude Code' })
  await expect(question).toContainText('writes nothing there')
  await expectAccessible(page)
  await picture(window, '90-histories-question')
  await question.getByRole('button', { name: 'Read' }).press('Enter')

  const group = page.getByRole('region', { name: 'From Claude Code' })
  await expect(group.getByRole('button', { name: 'From Claude Code 2' })).toBeVisible()
  await group.getByRole('button', { name: 'Show 1 of other folders' }).press('Enter')
  await expect(group.getByRole('button', { name: /Write a changelog/ })).toBeVisible()

  // A conversation that was never opened is searched; Enter opens it at the place.
  await page.keyboard.press('Control+Shift+F')
  await expect(page.getByRole('textbox', { name: 'Search in conversations' })).toBeFocused()
  await page.keyboard.type('rounds each line')
  await expect(page.getByRole('option', { name: /rounds each line/ })).toHaveCount(2)
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect(preview.getByText('I let an agent find where cents are rounded.')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(preview.getByText('src/cart.ts:14 rounds each line.')).toBeVisible()
  await expectAccessible(page)
  await picture(window, '90-histories-search')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-place]').getByText('src/cart.ts:14 rounds each line.')).toBeInViewport()

  // Its agents have lanes on the timeline.
  await page.keyboard.press('Control+3')
  await expect(page.locator('[data-lane]')).toHaveCount(2)
  await picture(window, '90-histories-timeline')
  await page.keyboard.press('Control+1')

  const bar = page.getByRole('region', { name: 'Conversation of Claude Code' })
  await expect(bar).toContainText('Left out: Lines of the unknown kind “new-kind”: 1.')
  await expect(page.getByText('All 12 tests pass.').first()).toBeVisible()
  await expect(page.getByText('Find rounding').first()).toBeVisible()
  await expect(composer(page)).toHaveCount(0)
  await expectAccessible(page)
  await picture(window, '91-histories-opened')
  const more = group.getByRole('button', { name: 'Show 1 of other folders' })
  if (await more.isVisible()) await more.press('Enter')

  await bar.getByRole('button', { name: 'Continue as a copy' }).press('Enter')
  await expect(page.getByText('Continued from a conversation of Claude Code').first()).toBeVisible()
  await expect(composer(page)).toBeFocused()
  await expect(page.getByText('All 12 tests pass.').first()).toBeVisible()

  // The folder of the other one is gone: the open one takes its place.
  await group.getByRole('button', { name: /Write a changelog/ }).press('Enter')
  await expect(page.getByText('Written.').first()).toBeVisible()
  await bar.getByRole('button', { name: 'Continue as a copy' }).press('Enter')
  await page.getByRole('button', { name: 'Continue in shop' }).press('Enter')
  await expect(page.getByText('Continued from a conversation of Claude Code').first()).toBeVisible()
  await picture(window, '92-histories-copy')

  await page.getByRole('button', { name: 'Settings' }).first().press('Enter')
  await page.getByRole('button', { name: /^General/ }).press('Enter')
  const setting = page.getByRole('group', { name: 'Claude Code' })
  await expect(setting).toContainText('Read')
  await expectAccessible(page)
  await picture(window, '93-histories-settings')
  expect(window.errors).toEqual([])
})

test('opening a long conversation says how far it is, Escape stops it, and it can be tried again', async () => {
  const folder = await machine.repository('shop', { 'src/cart.ts': 'round(line)\n' })
  const project = join(machine.base, '.claude/projects/-shop')
  await mkdir(project, { recursive: true })
  const s = claudeSession('long', folder)
  const piece = textOfLines(
    ...Array.from({ length: 4000 }, (_, at) => s.says(`m${at}`, 'On and on. '.repeat(50), { uuid: '' })),
  )
  await writeFile(join(project, 'long.jsonl'), textOfLines(s.user('Never stop')) + piece.repeat(40))
  const window = await machine.open({
    folder,
    settings: { access: { kind: 'rehearsal' }, trustedFolders: [folder], histories: { claude: true } },
  })
  const { page } = window
  await page.keyboard.press('Control+k')
  await page.keyboard.type('never stop')
  await expect(page.getByRole('option', { name: /Never stop.*Claude Code/ })).toBeVisible()
  await page.keyboard.press('Enter')
  const reading = page.getByRole('status').filter({ hasText: 'Reading the conversation of Claude Code' })
  await expect(reading).toBeVisible()
  await expect(page.getByText(/^\d+%$/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('You stopped the reading of this conversation.')).toBeVisible()
  await picture(window, '94-histories-stopped')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Try again' }).press('Enter')
  await expect(page.getByText('Never stop').first()).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole('region', { name: 'Conversation of Claude Code' })).toBeVisible({
    timeout: 60_000,
  })
})
