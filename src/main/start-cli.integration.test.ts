import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildStart } from '../../scripts/start-script.ts'

let source = ''
beforeAll(async () => {
  const made = mkdtempSync(join(tmpdir(), 'troupe-start-script-'))
  const output = { format: 'esm', entryFileNames: 'cli.mjs' } as const
  await buildStart({ entry: 'src/main/start-cli.mjs', folder: made, output }, 'the-hash')
  source = readFileSync(join(made, 'cli.mjs'), 'utf8')
  rmSync(made, { recursive: true })
})

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-start-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

/** The output of the build: a program, and a start script that contains the program's hash. */
function build(program: string, hash: string): void {
  writeFileSync(join(folder, 'cli-main.cjs'), program)
  writeFileSync(join(folder, 'cli.mjs'), source.replace('the-hash', hash))
}

async function start(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'cli.mjs'), ...args])
  return stdout + stderr
}

const compiled = () => readdirSync(folder).filter((name) => name.includes('.compiled'))

describe('the start of the built command line', () => {
  it('runs the program, the first time and from the cache', async () => {
    build(
      `const { sep } = require('node:path'); console.log(process.argv.slice(2).join(sep), __filename)`,
      'a',
    )
    const said = `run/it ${join(folder, 'cli-main.cjs')}\n`
    expect(await start('run', 'it')).toBe(said)
    expect(compiled()).toHaveLength(1)
    expect(await start('run', 'it')).toBe(said)
    expect(compiled()).toHaveLength(1)
  })

  it('keeps the cache in the data folder where the program is installed', async () => {
    build(`console.log(__filename)`, 'a')
    // A desktop package: it belongs to root, who may write there and should not.
    const installed = join(folder, 'resources', 'out')
    mkdirSync(installed, { recursive: true })
    writeFileSync(join(folder, 'resources', 'app.asar'), '')
    for (const name of ['cli.mjs', 'cli-main.cjs']) renameSync(join(folder, name), join(installed, name))
    const data = join(folder, 'data')
    const run = async () => {
      const env = { ...process.env, TROUPE_HOME: data }
      return (await promisify(execFile)(process.execPath, [join(installed, 'cli.mjs'), 'run'], { env }))
        .stdout
    }
    const said = `${join(installed, 'cli-main.cjs')}\n`
    expect(await run()).toBe(said)
    expect(readdirSync(installed)).toEqual(['cli-main.cjs', 'cli.mjs'])
    expect(readdirSync(join(data, 'compiled'))).toHaveLength(1)
    expect(await run()).toBe(said)
  })

  it('says what is missing where it was copied alone', async () => {
    build('', 'a')
    rmSync(join(folder, 'cli-main.cjs'))
    await expect(start('--help')).rejects.toMatchObject({
      code: 1,
      stderr: `troupe: ${join(folder, 'cli-main.cjs')} is missing. Copy cli-main.cjs together with cli.mjs.\n`,
    })
  })

  it('never runs the cache of another program of the same length', async () => {
    build(`console.log('one')`, 'a')
    expect(await start('run')).toBe('one\n')
    build(`console.log('two')`, 'b')
    expect(await start('run')).toBe('two\n')
    expect(await start('run')).toBe('two\n')
  })

  it('runs with a damaged cache', async () => {
    build(`console.log('one')`, 'a')
    await start('run')
    const [name = ''] = compiled()
    writeFileSync(join(folder, name), 'a, and no more')
    expect(await start('run')).toBe('one\n')
    expect(readFileSync(join(folder, name), 'latin1')).not.toContain('no more')
  })

  const size = () => statSync(join(folder, compiled()[0] ?? '')).size

  it('keeps nothing of a run that failed', async () => {
    build(`process.exitCode = 1`, 'a')
    await start('run').catch(() => undefined)
    expect(compiled()).toEqual([])
  })

  it('adds what the next runs compile, and ends with that', async () => {
    // Each function is large, so that it is compiled at its first call only.
    const work = (name: string) => `function ${name}() { return [${'Math.random() + 1, '.repeat(200)}] }`
    build(`${work('one')} ${work('two')} one(); if (process.argv[3] === 'more') two()`, 'a')
    await start('run')
    const first = size()
    await start('run', 'more')
    const second = size()
    expect(second).toBeGreaterThan(first + 500)
    await start('run')
    expect(size()).toBe(second)
    const before = statSync(join(folder, compiled()[0] ?? '')).mtimeMs
    await start('run')
    expect(statSync(join(folder, compiled()[0] ?? '')).mtimeMs).toBe(before)
  })

  it('caches nothing for small commands', async () => {
    build(`console.log('one')`, 'a')
    expect(await start('--version')).toBe('one\n')
    expect(compiled()).toEqual([])
  })

  it('runs without a writable cache', async () => {
    build(`console.log('one')`, 'a')
    await start('run')
    const [name = ''] = compiled()
    rmSync(join(folder, name))
    mkdirSync(join(folder, name))
    expect(await start('run')).toBe('one\n')
    expect(compiled()).toEqual([name])
  })
})
