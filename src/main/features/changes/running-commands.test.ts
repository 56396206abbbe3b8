/** Whose command wrote a file. */
import { expect, test } from 'vitest'
import { likelyWriters, type ObservedCommand, RunningCommands } from './running-commands.ts'

const commands = (ann: string, ben: string) => [
  { agentId: 'ann', text: ann },
  { agentId: 'ben', text: ben },
]

test.each([
  ['the one that names it', 'echo 1 > src/a.txt', 'npm test', null, ['ann']],
  ['both that name it', 'cat a.txt', "sed -i s/x/y/ 'a.txt'", 'ann', ['ann', 'ben']],
  ['not one that names another file', 'touch aa.txt a.txt.old', 'make', null, ['ann', 'ben']],
  ['the one that wrote it last', 'make', 'npm test', 'ben', ['ben']],
  ['not one that wrote it last and runs nothing', 'make', 'npm test', 'cy', ['ann', 'ben']],
])('%s', (_, ann, ben, last, expected) => {
  expect([...likelyWriters(commands(ann, ben), { path: '/p/src/a.txt', last })]).toEqual(expected)
})

test('after ten minutes a command counts no longer among those that may have made a change', () => {
  let time = 0
  const running = new RunningCommands(() => time)
  const before = { top: '/repo', files: new Map() } as unknown as ObservedCommand['before']
  const command = { agentId: 'ann', toolUseId: 't', text: '', before, startedAt: 0 }
  running.add(command)
  time = 600_000
  expect([running.isTooLong(command), running.around('/repo/a.txt')]).toEqual([false, [command]])
  time++
  expect([running.isTooLong(command), running.around('/repo/a.txt')]).toEqual([true, []])
})
