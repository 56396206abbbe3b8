import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const source = readFileSync(join(import.meta.dirname, 'start-cli.mjs'), 'utf8')

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-start-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

/** What the build leaves: a program, and its start with the program's hash in it. */
function build(program: string, hash: string): void {
  writeFileSync(join(folder, 'cli-main.cjs'), program)
  writeFileSync(join(folder, 'cli.mjs'), source.replace("'hash of the program'", `'${hash}'`))
}

async function start(...words: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'cli.mjs'), ...words])
  return stdout + stderr
}

const compiled = () => readdirSync(folder).filter((name) => name.includes('.compiled'))

describe('the start of the built command line', () => {
  it('runs the program, the first time and with what was kept of it', async () => {
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

  it('never runs what was kept of another program, though that was as long', async () => {
    build(`console.log('one')`, 'a')
    expect(await start('run')).toBe('one\n')
    build(`console.log('two')`, 'b')
    expect(await start('run')).toBe('two\n')
    expect(await start('run')).toBe('two\n')
  })

  it('runs also where what was kept is broken', async () => {
    build(`console.log('one')`, 'a')
    await start('run')
    const [name = ''] = compiled()
    writeFileSync(join(folder, name), 'a, and no more')
    expect(await start('run')).toBe('one\n')
    expect(readFileSync(join(folder, name), 'latin1')).not.toContain('no more')
  })

  it('keeps nothing for commands that use little of the program', async () => {
    build(`console.log('one')`, 'a')
    expect(await start('--version')).toBe('one\n')
    expect(compiled()).toEqual([])
  })

  it('runs where nothing can be kept', async () => {
    build(`console.log('one')`, 'a')
    await start('run')
    const [name = ''] = compiled()
    rmSync(join(folder, name))
    mkdirSync(join(folder, name))
    expect(await start('run')).toBe('one\n')
    expect(compiled()).toEqual([name])
  })
})
