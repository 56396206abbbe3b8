import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { addProgram } from './programs-command.ts'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'troupe-add-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const GOOSE = {
  name: 'goose',
  description: 'Goose: "an agent", with\na second line.',
  command: '/opt/goose bin/goose',
  args: ['acp', '--level: 2'],
  env: ['GOOSE_KEY'],
}

test('the definition says what was given, and another one is never replaced', async () => {
  const added = await addProgram(GOOSE, home)
  const file = join(home, '.claude', 'agents', 'goose.md')
  expect(added).toEqual({ ok: true, value: file })
  const text = await readFile(file, 'utf8')
  const { definition, diagnostics } = readDefinition(text, { stem: 'goose', source: 'the user' })
  expect(diagnostics).toEqual([])
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to a variable
  const env = { GOOSE_KEY: '${GOOSE_KEY}' }
  expect(definition).toMatchObject({
    name: 'goose',
    description: GOOSE.description,
    program: { command: GOOSE.command, args: GOOSE.args, env },
  })
  expect(await addProgram({ ...GOOSE, args: [] }, home)).toMatchObject({ failure: { type: 'taken' } })
  expect(await readFile(file, 'utf8')).toBe(text)
})

test('a secret on the command line is refused, and nothing is written', async () => {
  const secret = `--key=sk-ant-api03-${'a1B2'.repeat(20)}`
  const added = await addProgram({ ...GOOSE, args: [secret] }, home)
  expect(added).toMatchObject({ failure: { type: 'refused', message: expect.stringContaining('secret') } })
  await expect(readFile(join(home, '.claude', 'agents', 'goose.md'))).rejects.toThrow('ENOENT')
})
