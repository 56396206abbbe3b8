/** Commands in the background: none of their processes is left, however they were started. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { childEnvironment } from './child-environment.ts'
import { type CreatedShell, createShell } from './create-shell.ts'
import { createCommandOwner, endLostCommands } from './end-lost-commands.ts'

let folder: string
let shell: CreatedShell

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-background-')))
  shell = createShell({ environment: childEnvironment(process.env), graceMs: 500 })
})
afterEach(async () => {
  await shell.killAll()
  rmSync(folder, { recursive: true, force: true })
})

const until = async (what: () => boolean) => {
  while (!what()) await delay(5)
}

/** The pids that a command wrote to files. */
const pidsIn = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.pid'))
    .map((name) => Number(readFileSync(join(folder, name), 'utf8')))
const living = () =>
  pidsIn().filter((pid) => {
    try {
      return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    } catch {
      return false
    }
  })

/** A process that writes its pid. */
const leaves = (name: string, more = '') =>
  `sh -c 'echo $$ > ${name}.tmp; mv ${name}.tmp ${name}.pid; ${more} sleep 1000'`

/** In the group; with setsid; with setsid and no environment; a daemon; one that ignores SIGTERM. */
const TREE = [
  `${leaves('group')} &`,
  `setsid ${leaves('session')} &`,
  `env -i PATH="$PATH" setsid ${leaves('clean')} &`,
  `(setsid ${leaves('daemon')} > /dev/null 2>&1 &)`,
  `setsid ${leaves('stubborn', `trap "" TERM;`)} &`,
].join('\n')
const AMOUNT = 5

function start(command: string) {
  const stopping = new AbortController()
  let lines = ''
  const ended = shell.shell.run({
    command,
    cwd: folder,
    timeoutMs: 60_000,
    signal: stopping.signal,
    onOutput: () => {},
    onLines: (text) => {
      lines += text
    },
  })
  return { stopping, ended, lines: () => lines }
}

describe.runIf(process.platform === 'linux')('a command in the background', () => {
  test('streams its lines as plain text, and returns all of its output', async () => {
    const { ended, lines } = start('printf "\\033[31mred\\033[0m\\n"; echo two')
    expect(await ended).toMatchObject({ ok: true, value: { output: 'red\ntwo\n', exitCode: 0 } })
    expect(lines()).toBe('red\ntwo\n')
  })

  test('leaves no process after it was stopped, whatever left its group', async () => {
    const { stopping, ended } = start(`${TREE}\nwait`)
    await until(() => pidsIn().length === AMOUNT)
    expect(living()).toHaveLength(AMOUNT)
    stopping.abort()
    expect(await ended).toMatchObject({ value: { ended: 'aborted' } })
    expect(living()).toEqual([])
  })

  test('leaves no process after its shell has ended', async () => {
    const { ended } = start(
      `setsid ${leaves('session')} > /dev/null 2>&1 &\nuntil test -e session.pid; do sleep 0.01; done`,
    )
    expect(await ended).toMatchObject({ value: { ended: 'exit', exitCode: 0 } })
    expect(pidsIn()).toHaveLength(1)
    expect(living()).toEqual([])
  })

  test.each(['killAll', 'killAllNow'] as const)('ends with %s', async (how) => {
    const { ended } = start(`${TREE}\nwait`)
    await until(() => pidsIn().length === AMOUNT)
    await shell[how]()
    await until(() => living().length === 0)
    await ended
  })

  test('whose program was killed is ended at the next start', async () => {
    // The program: a process with the identity that owns the commands.
    const program = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `
          const { createShell } = await import(${JSON.stringify(join(import.meta.dirname, 'create-shell.ts'))})
          const { createCommandOwner } = await import(${JSON.stringify(join(import.meta.dirname, 'end-lost-commands.ts'))})
          const owner = await createCommandOwner(${JSON.stringify(folder)})
          const { shell } = createShell({ environment: process.env, owner })
          await shell.run({
            command: process.argv[1], cwd: ${JSON.stringify(folder)}, timeoutMs: 60000,
            signal: new AbortController().signal, onOutput() {}, onLines() {},
          })
        `,
        `setsid ${leaves('session')} &\nwait`,
      ],
      { stdio: 'ignore' },
    )
    await until(() => pidsIn().length === 1)
    await endLostCommands(folder, 500)
    // The program lives, so its commands stay.
    expect(living()).toHaveLength(1)
    const gone = new Promise((resolve) => program.once('exit', resolve))
    program.kill('SIGKILL')
    await gone
    expect(living()).toHaveLength(1)
    await endLostCommands(folder, 500)
    expect(living()).toEqual([])
    expect(readdirSync(join(folder, 'commands'))).toEqual([])
  })

  test('is noted for the next start only while it runs', async () => {
    const owner = await createCommandOwner(folder)
    const owned = createShell({ environment: childEnvironment(process.env), owner })
    const run = { cwd: folder, timeoutMs: 60_000, signal: new AbortController().signal, onOutput: () => {} }
    await owned.shell.run({ ...run, command: 'true' })
    expect(readdirSync(folder)).toEqual([])
    await Promise.all([
      owned.shell.run({ ...run, command: 'until test -e seen; do sleep 0.01; done', onLines: () => {} }),
      // The end of another command leaves the note.
      owned.shell
        .run({ ...run, command: 'true', onLines: () => {} })
        .then(() => owned.shell.run({ ...run, command: 'ls commands > seen' })),
    ])
    expect(readFileSync(join(folder, 'seen'), 'utf8').trim()).toBe(owner.id)
    expect(readdirSync(join(folder, 'commands'))).toEqual([])
    await owned.killAll()
  })
})
