/** Calls of tools by the names and with the fields that other programs have. */
import { expect, test } from 'vitest'
import { turnOf } from './testing/scripts.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

test.each([
  ['LS', { path: '/project', ignore: ['node_modules'] }, /matches \*/],
  ['TodoRead', {}, /no to-do list/],
  ['BashOutput', { bash_id: 'nope', filter: 'x' }, /nope/],
  ['AgentOutputTool', { agentId: 'nope', block: true, wait_up_to: 5 }, /nope/],
  ['KillShell', { shell_id: 'nope' }, /nope/],
  ['KillBash', { shell_id: 'nope' }, /nope/],
  ['MultiEdit', { file_path: 'a.ts', edits: [{ old_string: 'a', new_string: 'b' }] }, /a\.ts does not exist/],
])('%s is understood', async (name, input, said) => {
  const troupe = createTestRuntime({
    script: (request) => (turnOf(request) === 1 ? { calls: [[name, input]] } : { text: 'done' }),
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  const { content } = await troupe.when('tool-ended')
  expect(content).toMatch(said)
  expect(content).not.toMatch(/There is no tool|is not a field|is missing/)
})

test('TodoRead returns the list of the same agent', async () => {
  const todos = [{ content: 'Read', status: 'completed' }]
  const troupe = createTestRuntime({
    script: (request) =>
      [
        { calls: [['TodoWrite', { todos }] as const] },
        { calls: [['TodoRead', {}] as const] },
        { text: 'done' },
      ][turnOf(request) - 1] ?? { text: 'done' },
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  const { content } = await troupe.when('tool-ended', ({ toolUseId }) => toolUseId.startsWith('call-2'))
  expect(content).toBe('completed: Read')
})
