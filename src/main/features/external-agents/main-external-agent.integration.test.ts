/** An external agent as the main agent, from the command line: without a key and without a model. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const CLI = join(import.meta.dirname, '../../cli.ts')
const EXAMPLE = join(import.meta.dirname, 'backing/testing/example-agent.ts')

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-main-program-')))
  for (const name of ['home', 'data', 'project']) await mkdir(join(root, name))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** `troupe …` with a home and a data folder of its own. */
function troupe(...args: readonly string[]): Promise<{ code: number; out: string; errors: string }> {
  const env = { PATH: process.env['PATH'], HOME: join(root, 'home'), TROUPE_HOME: join(root, 'data') }
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env, cwd: root }, (error, out, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, errors }),
    )
  })
}

const run = (...args: readonly string[]) =>
  troupe('run', 'Say where you are.', '--trust', '--cwd', join(root, 'project'), ...args)

test('a program that the user added carries out conversations once the settings name it', async () => {
  const added = await troupe(
    'programs',
    'add',
    'sample',
    '--description',
    'x',
    '--',
    process.execPath,
    EXAMPLE,
  )
  expect(added).toMatchObject({ code: 0, errors: '' })
  expect(await readFile(join(root, 'home/.claude/agents/sample.md'), 'utf8')).toContain('backing: acp')
  expect(await run()).toMatchObject({ code: 3, errors: expect.stringContaining('No access to a model') })

  await writeFile(join(root, 'data', 'settings.json'), JSON.stringify({ mainAgent: 'sample' }))
  expect(await run()).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Prompt 1 in ${join(root, 'project')}: Say where you are.`),
  })
  // A coordinator needs a model.
  expect(await run('--coordinator')).toMatchObject({ code: 3 })
})

test('a main agent that is gone is an error that names it', async () => {
  await writeFile(join(root, 'data', 'settings.json'), JSON.stringify({ mainAgent: 'sample' }))
  const { code, errors } = await run()
  expect(code).not.toBe(0)
  expect(errors).toContain('sample')
})
