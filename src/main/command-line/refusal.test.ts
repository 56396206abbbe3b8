import { expect, test } from 'vitest'
import { refusalFor } from './refusal.ts'

const write = (alwaysRule: string) =>
  refusalFor({
    subject: { kind: 'diff', action: 'write a file', text: '+a', folder: '/project' },
    because: 'This writes a file.',
    alwaysRule,
  })

test('a refused write names acceptEdits only for a file inside the folder', () => {
  expect(write('Edit(src/a.ts)')).toContain('acceptEdits')
  expect(write('Edit(//etc/hosts)')).not.toContain('acceptEdits')
})
