import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PAGE, withTables } from './settings-docs.ts'

test('the docs of the settings agree with the schema; else run node scripts/settings-docs.ts', () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(withTables(page)).toBe(page)
})
