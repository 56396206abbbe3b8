import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ShellEnd, ShellRun } from '../../runtime/ports/shell.ts'
import { childEnvironment } from './child-environment.ts'
import { type CreatedShell, createShell, type ShellOptions } from './create-shell.ts'

let folder: string
let open: CreatedShell[] = []

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-shell-')))
})
afterEach(async () => {
  for (const created of open) created.killAllNow()
  open = []
  rmSync(folder, { recursive: true, force: true })
})

const environment = childEnvironment({ ...process.env, ANTHROPIC_API_KEY: 'secret-key' })

function shellWith(options: Partial<ShellOptions> = {}): CreatedShell {
  // A minute of grace: a process that ended earlier was ended by SIGTERM.
  const created = createShell({ environment, graceMs: 60_000, ...options })
  open.push(created)
  return created
}

type Running = Partial<ShellRun> & { readonly in?: CreatedShell }

async function run(command: string, { in: created = shellWith(), ...rest }: Running = {}): Promise<ShellEnd> {
  const result = await created.shell.run({
    command,
    cwd: folder,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onOutput: () => {},
    ...rest,
  })
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

/** The live processes of a group. */
function membersOf(group: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/stat`, 'latin1')
        const [state, , owner] = line.slice(line.lastIndexOf(')') + 2).split(' ')
        return Number(owner) === group && state !== 'Z' && state !== 'X'
      } catch {
        return false
      }
    })
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await delay(5)
}

/** A command that prints its process group once all its processes run. The caller adds the rest. */
function starting(created: CreatedShell, command: string, options: Partial<ShellRun> = {}) {
  let heard = ''
  let ready: (group: number) => void = () => {}
  const group = new Promise<number>((resolve) => {
    ready = resolve
  })
  const end = run(command, {
    in: created,
    ...options,
    onOutput: (text) => {
      heard += text
      const told = /group (\d+) ready/.exec(heard)
      if (told) ready(Number(told[1]))
    },
  })
  return { group, end }
}

/** A shell with children and grandchildren, all in the foreground. */
const TREE = `(sh -c 'sleep 1000 & sleep 1000 & wait' &  sleep 1000 | cat & echo "group $$ ready"; wait)`

describe('a command', () => {
  it('returns both output streams in order, and its exit code', async () => {
    const end = await run('for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 7')
    expect(end).toEqual({
      output: 'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n',
      exitCode: 7,
      ended: 'exit',
      cwd: folder,
    })
  })

  it('streams its output while it runs', async () => {
    const created = shellWith()
    const stop = new AbortController()
    const { group, end } = starting(created, 'echo "group $$ ready"; sleep 1000', { signal: stop.signal })
    await group
    stop.abort()
    expect((await end).ended).toBe('aborted')
  })

  it('can open its own output by name', async () => {
    const end = await run('echo a > /dev/stderr; echo b | tee /dev/stderr; echo c > /dev/stdout')
    expect(end.output).toBe('a\nb\nb\nc\n')
  })

  it('has an empty input and no terminal', async () => {
    const end = await run(
      'cat; read answer; echo "[$answer]"; (: < /dev/tty) 2>/dev/null || echo no terminal',
    )
    expect(end.output).toBe('[]\nno terminal\n')
  })

  it('sees its given environment and no API key', async () => {
    const end = await run('env')
    expect(end.output).toContain('HOME=')
    expect(end.output).toContain('GIT_PAGER=cat')
    expect(end.output).not.toContain('secret-key')
  })

  it('sees the variables of one call, which never make a program wait for a user', async () => {
    const added = { GIT_CONFIG_COUNT: '0', HOME: '/elsewhere', GIT_EDITOR: 'vi', GIT_TERMINAL_PROMPT: '1' }
    const created = shellWith()
    const lines = (await run('env', { in: created, environment: added })).output.split('\n')
    expect(lines).toEqual(expect.arrayContaining(['GIT_CONFIG_COUNT=0', 'HOME=/elsewhere']))
    expect(lines).toEqual(expect.arrayContaining(['GIT_EDITOR=true', 'GIT_TERMINAL_PROMPT=0']))
    const next = await run('env', { in: created })
    expect(next.output).not.toContain('GIT_CONFIG_COUNT')
    expect(next.output).not.toContain('/elsewhere')
  })

  it('decodes a character that arrives in two pieces', async () => {
    const heard: string[] = []
    // The rest of the character is printed after its first byte arrived.
    const end = await run(`printf 'a\\342'; until [ -e go ]; do sleep 0.01; done; printf '\\202\\254b'`, {
      onOutput: (text) => {
        heard.push(text)
        writeFileSync(join(folder, 'go'), '')
      },
    })
    expect(end.output).toBe('a€b')
    expect(heard).toEqual(['a', '€b'])
  })

  it('with a lot of output keeps the beginning and the end', async () => {
    const end = await run(`echo first; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo last`)
    expect(end.exitCode).toBe(0)
    expect(end.output.length).toBeLessThan(4.1 * 1024 * 1024 + 200)
    expect(end.output.startsWith('first\nxxx')).toBe(true)
    expect(end.output.endsWith('xxx\nlast\n')).toBe(true)
    expect(end.output).toMatch(/24\.6 million characters of output are left out/)
  })

  it('reports the signal that ended it', async () => {
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: null, ended: 'exit' })
  })

  it('reports a syntax error with the right line number', async () => {
    expect((await run('echo fine\nif then')).output).toContain('line 2')
  })

  it('does not run after an early stop', async () => {
    const end = await run('touch ran', { signal: AbortSignal.abort() })
    expect(end).toMatchObject({ ended: 'aborted', exitCode: null, output: '' })
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('fails with a message if it cannot start', async () => {
    const { shell } = shellWith()
    const failing = async (command: string, cwd = folder) => {
      const signal = new AbortController().signal
      const result = await shell.run({ command, cwd, timeoutMs: 1000, signal, onOutput: () => {} })
      return result.ok ? null : result.failure.type
    }
    expect(await failing('true', join(folder, 'gone'))).toBe('not-found')
    expect(await failing(`: ${'x'.repeat(200_000)}`)).toBe('too-long')
    expect(await failing('echo \0')).toBe('io')
    const missing = shellWith({ shellPath: '/nowhere/bash' })
    await expect(run('true', { in: missing })).rejects.toThrow('could not be started')
  })
})

describe.each(['bash', 'sh'])('the folder after a command, in %s', (name) => {
  const ending = async (command: string) => {
    mkdirSync(join(folder, 'a', 'b'), { recursive: true })
    symlinkSync(join(folder, 'a', 'b'), join(folder, 'link'))
    const { cwd, exitCode, output } = await run(command, { in: shellWith({ shellPath: `/bin/${name}` }) })
    return { below: cwd.slice(folder.length), exitCode, output }
  }

  it.each([
    ['cd a', '/a', 0],
    ['cd a && exit 3', '/a', 3],
    ['go() { cd a/b; return 4; }; go', '/a/b', 4],
    ['go() { cd a/b; exit 5; }; go', '/a/b', 5],
    ['cd link', '/a/b', 0],
    ['(cd a)', '', 0],
    ['cd a; false', '/a', 1],
    ['set -e; cd a; false; cd b', '/a', 1],
    ['cd a; if', '', 2],
    ['cd a; kill -9 $$', '', null],
    ['cd a/b; rmdir ../b', '', 0],
    ['cd a; exec true', '', 0],
    ['trap "echo bye" EXIT; cd a', '/a', 0],
    ['cd a &', '', 0],
  ])('%s', async (command, below, exitCode) => {
    expect(await ending(command)).toMatchObject({ below, exitCode })
  })

  it('adds nothing to the output', async () => {
    const output = async (command: string) =>
      (await run(command, { in: shellWith({ shellPath: `/bin/${name}` }) })).output
    expect(await output('set -x; cd /')).toMatch(/^\++ cd \/\n$/)
    expect(await output('set -x; exit 3')).toMatch(/^\++ exit 3\n$/)
    expect(await output('echo $# $1')).toBe('0\n')
  })
})

it('does not use the descriptors that scripts use', async () => {
  mkdirSync(join(folder, 'a'))
  const end = await run('exec 3>three 9>nine; echo x >&3; echo y >&9; cd a')
  expect(end.cwd).toBe(join(folder, 'a'))
  expect(readFileSync(join(folder, 'three'), 'utf8')).toBe('x\n')
  expect(readFileSync(join(folder, 'nine'), 'utf8')).toBe('y\n')
})

describe('the end of a command', () => {
  it('by its time limit ends all its processes', async () => {
    const { group, end } = starting(shellWith(), TREE, { timeoutMs: 400 })
    const id = await group
    expect(membersOf(id).length).toBeGreaterThan(4)
    expect(await end).toMatchObject({ ended: 'timeout', exitCode: null })
    expect(membersOf(id)).toEqual([])
  })

  it('by a stop ends all its processes before the result arrives', async () => {
    const stop = new AbortController()
    const { group, end } = starting(shellWith(), TREE, { signal: stop.signal })
    const id = await group
    stop.abort()
    expect(await end).toMatchObject({ ended: 'aborted', exitCode: null })
    expect(membersOf(id)).toEqual([])
  })

  it('also ends a program that the shell is just starting', async () => {
    const created = shellWith()
    for (let round = 0; round < 20; round++) {
      const stop = new AbortController()
      // The signal arrives during the shell's exec, or just before or after.
      const { group, end } = starting(created, 'echo "group $$ ready"; sleep 1000', { signal: stop.signal })
      const id = await group
      stop.abort()
      expect((await end).ended).toBe('aborted')
      expect(membersOf(id)).toEqual([])
    }
  })

  it('kills processes that ignore SIGTERM', async () => {
    const stop = new AbortController()
    const deaf = `trap '' TERM; sh -c 'sleep 1000; sleep 1000' & echo "group $$ ready"; while :; do sleep 1000; done`
    const { group, end } = starting(shellWith({ graceMs: 50 }), deaf, { signal: stop.signal })
    const id = await group
    stop.abort()
    expect((await end).ended).toBe('aborted')
    expect(membersOf(id)).toEqual([])
  })

  it('by its time limit kills background processes that ignore SIGTERM, and their children', async () => {
    const deaf = `(trap '' TERM; sh -c 'trap "" TERM; sleep 1000 & sleep 1000 & wait; sleep 1000' & sleep 1000; sleep 1000) & trap '' TERM; echo "group $$ ready"; while :; do sleep 1000; done`
    const { group, end } = starting(shellWith({ graceMs: 50 }), deaf, { timeoutMs: 400 })
    const id = await group
    expect(await end).toMatchObject({ ended: 'timeout', exitCode: null })
    expect(membersOf(id)).toEqual([])
  })

  it('also ends suspended processes', async () => {
    const stop = new AbortController()
    const { group, end } = starting(shellWith(), 'sleep 1000 & kill -STOP $!; echo "group $$ ready"; wait', {
      signal: stop.signal,
    })
    const id = await group
    stop.abort()
    await end
    expect(membersOf(id)).toEqual([])
  })

  it('lets a command clean up', async () => {
    const stop = new AbortController()
    const { group, end } = starting(
      shellWith(),
      `trap 'echo cleaned > cleaned; exit 1' TERM; echo "group $$ ready"; sleep 1000 & wait`,
      { signal: stop.signal },
    )
    await group
    stop.abort()
    await end
    expect(existsSync(join(folder, 'cleaned'))).toBe(true)
  })

  it.each([
    ['holds the output open', 'sleep 1000 & echo "group $$ ready"'],
    ['keeps writing', '(while :; do echo noise; done) & echo "group $$ ready"'],
    ['writes elsewhere', 'sleep 1000 > /dev/null 2>&1 & echo "group $$ ready"'],
    ['ignores a hang-up', 'nohup sleep 1000 > /dev/null 2>&1 & echo "group $$ ready"'],
  ])('does not wait for a background process that %s', async (_, command) => {
    const { group, end } = starting(shellWith(), command)
    expect(await end).toMatchObject({ ended: 'exit', exitCode: 0, endedBackground: true })
    const id = await group
    await until(() => membersOf(id).length === 0)
  })

  it('waits a moment for a background process that is about to finish', async () => {
    const end = await run('(sleep 0.01; echo late) & echo early', { in: shellWith({ lingerMs: 20_000 }) })
    expect(end.output).toBe('early\nlate\n')
    expect(end.endedBackground).toBeUndefined()
  })
})

describe('all commands', () => {
  it('run concurrently without mixing their output or folders', async () => {
    const created = shellWith()
    const names = Array.from({ length: 20 }, (_, index) => `job${index}`)
    for (const name of names) mkdirSync(join(folder, name))
    const ends = await Promise.all(
      names.map((name) => run(`for i in $(seq 50); do echo ${name}; done; cd ${name}`, { in: created })),
    )
    expect(ends.map((end) => end.output)).toEqual(names.map((name) => `${name}\n`.repeat(50)))
    expect(ends.map((end) => end.cwd)).toEqual(names.map((name) => join(folder, name)))
  })

  it('leave no descriptor open', async () => {
    const tempFolder = join(folder, 'pipes')
    mkdirSync(tempFolder)
    const created = shellWith({ tempFolder })
    const openNow = () => readdirSync('/proc/self/fd').length
    await run('true')
    const before = openNow()
    for (let index = 0; index < 24; index++) await run('echo x', { in: created })
    for (let index = 0; index < 24; index++) await run('true', { in: created, signal: AbortSignal.abort() })
    // The remaining descriptors are pipes for the next command.
    await created.killAll()
    expect(openNow()).toBeLessThanOrEqual(before)
    expect(readdirSync(tempFolder)).toEqual([])
  })

  it('are ended by killAll, even if they ignore SIGTERM, and none starts afterward', async () => {
    const created = shellWith({ graceMs: 50 })
    const jobs = [
      starting(created, TREE),
      starting(created, `trap '' TERM; echo "group $$ ready"; while :; do sleep 1000; done`),
      starting(created, `(trap '' TERM; echo "group $$ ready"; while :; do sleep 1000; done) &`),
    ]
    const groups = await Promise.all(jobs.map((job) => job.group))
    await created.killAll()
    expect(groups.flatMap(membersOf)).toEqual([])
    await Promise.all(jobs.map((job) => job.end))
    expect((await run('touch ran', { in: created })).ended).toBe('aborted')
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('leave no pipes behind if the program exits while it creates them', async () => {
    const [tempFolder, bin] = [join(folder, 'pipes'), join(folder, 'bin')]
    mkdirSync(tempFolder)
    mkdirSync(bin)
    // Takes as long as the folder for the pipes exists.
    const slow = `#!/bin/sh\ntouch ${folder}/started; while [ -d "$(dirname "$3")" ]; do sleep 0.01; done; exit 1\n`
    writeFileSync(join(bin, 'mkfifo'), slow, { mode: 0o755 })
    const PATH = `${bin}:${environment['PATH']}`
    const created = shellWith({ tempFolder, environment: { ...environment, PATH } })
    const end = run('touch ran', { in: created })
    await until(() => existsSync(join(folder, 'started')))
    expect(readdirSync(tempFolder)).toHaveLength(1)
    created.killAllNow()
    expect(readdirSync(tempFolder)).toEqual([])
    expect((await end).ended).toBe('aborted')
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('return their output without named pipes', async () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'mkfifo'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const PATH = `${bin}:${environment['PATH']}`
    const created = shellWith({ environment: { ...environment, PATH } })
    mkdirSync(join(folder, 'a'))
    const end = await run('echo out; echo err >&2; cd a; exit 3', { in: created })
    expect(end).toEqual({ output: 'out\nerr\n', exitCode: 3, ended: 'exit', cwd: join(folder, 'a') })
  })

  it('are ended by killAllNow within the same turn of the event loop', async () => {
    const created = shellWith()
    const { group, end } = starting(
      created,
      `trap '' TERM; echo "group $$ ready"; while :; do sleep 1000; done`,
    )
    const id = await group
    created.killAllNow()
    expect(await end).toMatchObject({ exitCode: null })
    expect(membersOf(id)).toEqual([])
  })
})
