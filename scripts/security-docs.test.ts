import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { elsewhere } from '../test/attacks/attacks-elsewhere.ts'
import { defenses } from '../test/attacks/defenses.ts'
import { attacks, PAGE, ROOT, withTables } from './security-docs.ts'

test('the docs of the attacks agree with the tests; else run node scripts/security-docs.ts', async () => {
  const page = readFileSync(PAGE, 'utf8')
  expect(await withTables(page)).toBe(page)
})

test('each attack has a name of its own, and each table has a test', () => {
  const names = Object.values(attacks).flatMap((cases) => cases.map(({ name }) => name))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  expect(names.length).toBeGreaterThan(300)
  for (const file of Object.keys(attacks))
    expect(existsSync(join(ROOT, 'test', 'attacks', `${file}.integration.test.ts`)), file).toBe(true)
})

test('each defense is attacked', () => {
  const tried = new Set(Object.values(attacks).flatMap((cases) => cases.map(({ defense }) => defense)))
  expect(Object.keys(defenses).filter((name) => !tried.has(name as never))).toEqual([])
})

test.each(elsewhere)('another test tries $attack', ({ file, title }) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title)
})
