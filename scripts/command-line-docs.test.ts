import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAGE, withTables } from './command-line-docs.ts'

test('the docs of the command line agree with the verbs; else run node scripts/command-line-docs.ts', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(withTables(page)).toBe(page)
})
