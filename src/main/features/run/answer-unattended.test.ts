import { expect, test } from 'vitest'
import { refusalFor } from './answer-unattended.ts'

test('a refusal gives the cause, what would allow the call, and the next step', () => {
  expect(refusalFor({ because: 'This writes a file', remedy: 'The rule Edit(a) would allow this.' })).toBe(
    'Permission denied: this run has no user to ask. This writes a file. The rule Edit(a) would allow this. Continue without it and report it.',
  )
})
