import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCaseFiles } from './case-files.ts'

const MINIMAL = 'task: Review.\nchecks:\n  - report-contains: x\n'
let root: string
let folder: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-cases-')))
  folder = join(root, 'project')
  mkdirSync(folder)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const files = () => createCaseFiles(join(root, 'data'), () => 'key')
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

test('lists the cases of all agents, and tells what is wrong with a file', async () => {
  write('.claude/agent-tests/reviewer/b.yaml', MINIMAL)
  write('.claude/agent-tests/reviewer/a.yml', MINIMAL)
  write('.claude/agent-tests/reviewer/clean/a.ts', 'no case')
  write('.claude/agent-tests/reviewer/README.md', 'no case')
  write('.claude/agent-tests/tester/wrong.yaml', 'task: a\n')
  const { cases, problems } = await files().list(folder, ['Reviewer'])
  expect(cases.map(({ agent, name }) => `${agent}: ${name}`)).toEqual(['Reviewer: a', 'Reviewer: b'])
  expect(problems).toEqual([
    { file: '.claude/agent-tests/tester/wrong.yaml', line: 1, message: expect.stringContaining('“checks”') },
  ])
})

test('saves a new case under its name, beside another of that name', async () => {
  const text = `name: Find the double charge!\n${MINIMAL}`
  const save = () => files().save(folder, { agent: 'pay:reviewer', file: null, text })
  const names = [await save(), await save()].map((saved) => saved.ok && saved.value.file.split('/').at(-1))
  expect(names[0]).toMatch(/^find-the-double-charge-[0-9a-f]{6}\.yaml$/)
  expect(names[1]).toMatch(/^find-the-double-charge-[0-9a-f]{6}-2\.yaml$/)
  const { cases } = await files().list(folder, ['pay:reviewer'])
  expect(cases.map(({ agent }) => agent)).toEqual(['pay:reviewer', 'pay:reviewer'])
})

test('writes no text that is no case', async () => {
  write('.claude/agent-tests/reviewer/a.yaml', MINIMAL)
  const file = '.claude/agent-tests/reviewer/a.yaml'
  const saved = await files().save(folder, { agent: 'reviewer', file, text: 'task: a\nchek: b\n' })
  expect(saved.ok && saved.value.problems.map(({ line }) => line)).toEqual([1, 2])
  expect(readFileSync(join(folder, file), 'utf8')).toBe(MINIMAL)
})

test('touches no file that is no case', async () => {
  write('src/index.ts', 'x')
  const other = join(root, 'other')
  mkdirSync(other)
  mkdirSync(join(folder, '.claude/agent-tests'), { recursive: true })
  symlinkSync(other, join(folder, '.claude/agent-tests/linked'))
  for (const file of [
    'src/index.ts',
    '.claude/agent-tests/../../src/index.yaml',
    '.claude/agent-tests/a/../b.yaml',
    '.claude/agent-tests/a.yaml',
    '/etc/x.yaml',
  ]) {
    expect((await files().save(folder, { agent: 'a', file, text: MINIMAL })).ok, file).toBe(false)
    expect((await files().remove(folder, file)).ok, file).toBe(false)
    expect((await files().read(folder, file)).ok, file).toBe(false)
  }
  const linked = { agent: 'linked', file: null, text: MINIMAL }
  expect(await files().save(folder, linked)).toMatchObject({ ok: false, failure: { type: 'bad-path' } })
  expect(readdirSync(other)).toEqual([])
})

test('keeps a deleted case in the trash', async () => {
  write('.claude/agent-tests/reviewer/a.yaml', MINIMAL)
  const file = '.claude/agent-tests/reviewer/a.yaml'
  expect(await files().remove(folder, file)).toEqual({ ok: true, value: undefined })
  expect(readFileSync(join(root, 'data/trash/agent-tests/key-a.yaml'), 'utf8')).toBe(MINIMAL)
  expect(await files().remove(folder, file)).toMatchObject({ ok: false, failure: { type: 'not-found' } })
  expect(await files().read(folder, file)).toMatchObject({ ok: false, failure: { type: 'not-found' } })
})
