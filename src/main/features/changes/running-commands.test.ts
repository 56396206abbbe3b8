/** Whose command wrote a file. */
import { expect, test } from 'vitest'
import { likelyWriters } from './running-commands.ts'

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
