/** The command line copied out of its checkout: the files it needs, and how it opens the window. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PROGRAM } from './testing/program-file.ts'

const isBuilt = basename(PROGRAM) === 'cli.mjs'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-copy-')))
  mkdirSync(join(root, 'out'))
  for (const name of ['cli.mjs', 'cli-main.cjs'])
    copyFileSync(join(dirname(PROGRAM), name), join(root, 'out', name))
})
afterEach(() => {
  rmSync(root, { recursive: true })
})

/** Creates the files that the command line needs, and a start script that prints its arguments. */
function complete(): void {
  writeFileSync(join(root, 'package.json'), '{"version":"1.2.3"}')
  mkdirSync(join(root, 'agents'))
  mkdirSync(join(root, 'scripts'))
  writeFileSync(
    join(root, 'scripts', 'run.mjs'),
    'console.log(process.argv.slice(2).join(" ")); process.exit(7)',
  )
}

const troupe = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'out', 'cli.mjs'), ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: root, TROUPE_HOME: join(root, 'data') },
  })

// The sources are one program with their checkout.
describe.runIf(isBuilt)('a copied command line', () => {
  test('says what is missing above it', async () => {
    await expect(troupe('--version')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^troupe: The folders agents and docs .* are missing above cli\.mjs\. Copy/,
      ),
    })
    complete()
    expect((await troupe('--version')).stdout).toBe('1.2.3\n')
  })

  test('troupe FOLDER opens the window there, and ends with its exit code', async () => {
    complete()
    await expect(troupe('./agents')).rejects.toMatchObject({
      code: 7,
      stdout: `start ${join(root, 'agents')}\n`,
    })
    await expect(troupe()).rejects.toMatchObject({ code: 7, stdout: 'start\n' })
    await expect(troupe('./nowhere')).rejects.toMatchObject({
      code: 2,
      stderr: `troupe: ${join(root, 'nowhere')} is not a folder.\n`,
    })
  })

  test('without the window’s program, it says how to open the window', async () => {
    complete()
    rmSync(join(root, 'scripts'), { recursive: true })
    await expect(troupe('./agents')).rejects.toMatchObject({
      code: 2,
      stderr: 'troupe: There is no window here: start the Troupe app, and open the folder there.\n',
    })
  })
})
