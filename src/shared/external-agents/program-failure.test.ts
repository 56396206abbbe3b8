import { expect, test } from 'vitest'
import { readProgramFailure, writeProgramFailure } from './program-failure.ts'

test.each([
  { what: 'It ended.', output: 'one\ntwo', tryCommand: 'gemini --acp' },
  { what: 'It ended.', output: '', tryCommand: 'gemini' },
  { what: 'It ended.', output: 'To find out more, run it', tryCommand: null },
  { what: 'It ended.\nTwice.', output: '', tryCommand: null },
])('a failure is read as it was written: %o', (failure) => {
  expect(readProgramFailure(writeProgramFailure(failure))).toEqual(failure)
})
